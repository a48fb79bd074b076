import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { attachmentsSchema } from './attachments.ts';
import { customHeadersSchema } from './custom-headers.ts';
import { metadataSchema } from './metadata.ts';
import { checked } from './parse-steps.ts';
import { agentNameSchema, channelSchema, sourceSchema } from './provenance.ts';
import { mailboxSchema, recipientsSchema } from './recipients.ts';
import { scheduledAtSchema } from './scheduled-at.ts';
import { tagsSchema } from './tags.ts';
import { variablesSchema } from './template-variables.ts';
import { bodyText, headerText } from './text.ts';
import { utmSchema } from './utm.ts';

const MEGABYTES = LIMITS.bodyBytes / 1_000_000;

/** The send request: the body of `POST /emails` and each item of a batch. */
export const sendRequestSchema = z
  .strictObject({
    from: mailboxSchema.describe('Sender, `a@b.c` or `Name <a@b.c>`, at a verified domain of the account.'),
    to: recipientsSchema(1).describe(
      `One recipient or several, \`a@b.c\` or \`Name <a@b.c>\`. At most ${LIMITS.recipientsPerMessage} recipients in to, cc and bcc together.`,
    ),
    cc: recipientsSchema(0).optional().describe('Copy recipients, same form as `to`.'),
    bcc: recipientsSchema(0)
      .optional()
      .describe(
        'Blind copy recipients, same form as `to`. They are stored with the message, but never written into it.',
      ),
    reply_to: mailboxSchema
      .optional()
      .describe('Address for replies. It is not a recipient: it costs no quota and is not checked.'),
    subject: headerText(1, LIMITS.subjectCharacters)
      .optional()
      .describe(
        `Subject line. 1 to ${LIMITS.subjectCharacters} characters, no line breaks. Required unless the template has a subject; it then overrides that one.`,
      ),
    html: bodyText(1, LIMITS.bodyBytes).optional().describe(`HTML body, at most ${MEGABYTES} MB.`),
    text: bodyText(0, LIMITS.bodyBytes)
      .optional()
      .describe(
        `Plain text body, at most ${MEGABYTES} MB. If you omit it, it is derived from \`html\`; an empty string turns that off.`,
      ),
    template: z
      .string()
      .min(1)
      .max(LIMITS.templateReferenceCharacters)
      .optional()
      .describe('Template slug or id, with an optional version (`welcome@3`); replaces `html` and `text`.'),
    variables: variablesSchema.optional(),
    tags: tagsSchema.optional(),
    utm: utmSchema.optional(),
    attachments: attachmentsSchema.optional(),
    scheduled_at: scheduledAtSchema.optional(),
    dry_run: z
      .boolean()
      .optional()
      .describe(
        'If true, nothing is sent: the response is 200 with every check and the message that would have been sent.',
      ),
    unsubscribe: z
      .boolean()
      .optional()
      .describe(
        'If true, adds one-click unsubscribe headers (RFC 8058). Each recipient gets a separate link. `{{unsubscribe_url}}` in html, text or a template is that link, with and without this.',
      ),
    headers: customHeadersSchema.optional(),
    metadata: metadataSchema.optional(),
    channel: channelSchema.optional(),
    source: sourceSchema.optional(),
    agent_name: agentNameSchema.optional(),
  })
  // Also checked if other fields are invalid, so that the caller gets all problems at once.
  .refine(hasSubject, { path: ['subject'], message: 'is required', params: { code: 'required' }, when: isObject })
  .refine(hasBodyForm, {
    path: ['html'],
    message: 'needs one body form: `html`, `text` or both, or `template`',
    params: { code: 'required' },
    when: isObject,
  })
  .check(
    checked((request, context) => {
      for (const fault of bodyFormConflicts(request)) context.addIssue({ ...fault });
      if (request.reply_to && hasReplyToHeader(request.headers)) {
        const message = 'cannot be combined with a `Reply-To` header; pass one of them';
        context.addIssue({ path: ['reply_to'], message, params: { code: 'conflict' } });
      }
      if (request.unsubscribe === true && hasUnsubscribeHeader(request.headers)) {
        const message = 'cannot be combined with a `List-Unsubscribe` header; pass one of them';
        context.addIssue({ path: ['unsubscribe'], message, params: { code: 'conflict' } });
      }
      const unique = new Set(
        [...request.to, ...(request.cc ?? []), ...(request.bcc ?? [])].map(({ address }) => address.toLowerCase()),
      );
      if (unique.size > LIMITS.recipientsPerMessage) {
        const message = `to, cc and bcc have ${unique.size} recipients together; at most ${LIMITS.recipientsPerMessage} are allowed`;
        context.addIssue({ path: ['to'], message, params: { code: 'too_many' } });
      }
    }),
  )
  .meta({ id: 'SendRequest' });

interface BodyForm {
  readonly subject?: string | undefined;
  readonly html?: string | undefined;
  readonly text?: string | undefined;
  readonly template?: string | undefined;
  readonly variables?: unknown;
}

/** A value that is not an object has no fields to check. */
function isObject({
  issues,
}: {
  readonly issues: readonly { readonly code?: string; readonly path?: readonly PropertyKey[] | undefined }[];
}) {
  return !issues.some(({ code, path }) => code === 'invalid_type' && (path ?? []).length === 0);
}

function hasSubject({ subject, template }: BodyForm): boolean {
  return subject !== undefined || template !== undefined;
}

/** An empty text disables deriving it from the HTML; alone it does not count as a body. */
function hasBodyForm({ html, text, template }: BodyForm): boolean {
  return template !== undefined || html !== undefined || (text !== undefined && text !== '');
}

function bodyFormConflicts({ html, text, template, variables }: BodyForm) {
  const conflict = (path: string, message: string) => ({ path: [path], message, params: { code: 'conflict' } });
  if (template === undefined) {
    return variables === undefined ? [] : [conflict('variables', 'is only allowed with `template`')];
  }
  return [
    ...(html === undefined ? [] : [conflict('html', 'cannot be combined with `template`; pass one of them')]),
    ...(text === undefined ? [] : [conflict('text', 'cannot be combined with `template`; pass one of them')]),
  ];
}

function hasReplyToHeader(headers: Readonly<Record<string, string>> | undefined): boolean {
  return headers !== undefined && Object.keys(headers).some((name) => name.toLowerCase() === 'reply-to');
}

function hasUnsubscribeHeader(headers: Readonly<Record<string, string>> | undefined): boolean {
  return headers !== undefined && Object.keys(headers).some((name) => /^list-unsubscribe(-post)?$/i.test(name));
}

export type SendRequest = z.output<typeof sendRequestSchema>;
export type SendRequestInput = z.input<typeof sendRequestSchema>;
