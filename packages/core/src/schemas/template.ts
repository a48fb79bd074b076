import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { bodyText, headerText } from './text.ts';

const VERSION_MAX = 2_147_483_647;
const SLUG = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

export const templateReferenceParams = z.object({ id: z.string().describe('Template id or slug.') });

export const templateSlugSchema = z
  .string()
  .toLowerCase()
  .min(1)
  .max(LIMITS.templateSlugCharacters)
  .regex(SLUG, 'must be letters and digits in groups, with a hyphen or underscore between two groups')
  .refine((slug) => !UUID.test(slug), { message: 'must not look like an id' })
  .describe(
    `Its name in sends and paths, unique in the account: letters, digits, hyphens and underscores, at most ${LIMITS.templateSlugCharacters} characters, stored in lower case.`,
  );

export const templateNameSchema = headerText(1, LIMITS.templateNameCharacters).describe(
  `A display name, 1 to ${LIMITS.templateNameCharacters} characters.`,
);

export const templateNoteSchema = z
  .string()
  .min(1)
  .max(LIMITS.templateNoteCharacters)
  .describe(`A note about this version, at most ${LIMITS.templateNoteCharacters} characters.`);

/** The three parts of a template; null removes a part. */
export const templateContentFields = {
  subject: headerText(1, LIMITS.subjectCharacters)
    .nullable()
    .optional()
    .describe(
      'Subject line in Liquid, one line. Values are not HTML-escaped; line breaks in them become spaces. If the template has none, every send must pass a subject.',
    ),
  html: bodyText(1, LIMITS.bodyBytes)
    .nullable()
    .optional()
    .describe('HTML body in Liquid. Values are HTML-escaped; `| raw` as the last filter turns that off.'),
  text: bodyText(0, LIMITS.bodyBytes)
    .nullable()
    .optional()
    .describe(
      'Plain text body in Liquid, not HTML-escaped. If you omit it, it is derived from the rendered `html`; an empty string turns that off.',
    ),
};

export const templateVersionNumberSchema = z.number().int().min(1).max(VERSION_MAX);

const TEMPLATE_VERSION_STATUSES = ['draft', 'published'] as const;

const statusSchema = z
  .enum(TEMPLATE_VERSION_STATUSES)
  .describe('`draft`: a held key or a test key wrote it, and no approver has published it. No one can send a draft.');

const authorSchema = z.string().nullable();

const templateVersionSchema = z
  .object({
    version: z.number().int(),
    status: statusSchema,
    createdAt: timestampSchema,
    createdBy: z.string().nullable().describe('The id of the key or user that created it.'),
    publishedAt: timestampSchema.nullable().describe('Null for a draft.'),
    publishedBy: z
      .string()
      .nullable()
      .describe('The id of the key or user that published it; `createdBy` unless it was a draft, null for a draft.'),
    authors: z
      .object({ subject: authorSchema, html: authorSchema, text: authorSchema })
      .describe(
        'The id of the key or user that wrote each part. A part that a version keeps also keeps its author; null for parts it does not have.',
      ),
    note: z.string().nullable(),
  })
  .meta({ id: 'TemplateVersion' });

const templateVariableSchema = z
  .object({
    name: z
      .string()
      .describe('The path within `variables`, `user.name`; `[]` means each element of a list, `items[].price`.'),
    required: z
      .boolean()
      .describe(
        'True if it is used outside every `if`, `unless` and `case`, and without `default`: a send without it is refused.',
      ),
  })
  .meta({ id: 'TemplateVariable' });

/** A template with the content of one version. */
export const templateSchema = z
  .object({
    id: idSchema,
    slug: z.string(),
    name: z.string(),
    subject: z.string().nullable(),
    html: z.string().nullable(),
    text: z.string().nullable(),
    version: z.number().int().describe('The version of `subject`, `html`, `text` and `variables`.'),
    status: statusSchema,
    currentVersion: z
      .number()
      .int()
      .nullable()
      .describe('The version that sends use unless they name one; null while the template has only drafts.'),
    contentHash: z
      .string()
      .nullable()
      .describe(
        'For a draft: identifies its content and the current version it would replace. Pass it to `POST /templates/:id/publish`.',
      ),
    versions: z
      .array(templateVersionSchema)
      .describe(`The versions, oldest first; if there are more than ${LIMITS.templateVersionsShown}, the newest ones.`),
    variables: z.array(templateVariableSchema).describe('The variables it uses, in the order of first use.'),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Template' });

const renderedFields = {
  subject: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable().describe('Derived from `html` if the template has no text.'),
};

const missingSchema = z.array(z.string()).describe('Variables whose absence would make a send fail.');

/** The result of a rendering. */
export const renderedTemplateSchema = z
  .object({ ...renderedFields, version: z.number().int(), status: statusSchema, missing: missingSchema })
  .meta({ id: 'RenderedTemplate' });

/** The result of rendering content that is not stored. */
export const templatePreviewSchema = z
  .object({
    ...renderedFields,
    variables: z.array(templateVariableSchema).describe('The variables it uses, in the order of first use.'),
    missing: missingSchema,
  })
  .meta({ id: 'TemplatePreview' });

export type Template = z.input<typeof templateSchema>;
export type RenderedTemplate = z.input<typeof renderedTemplateSchema>;
export type TemplatePreview = z.input<typeof templatePreviewSchema>;
