import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { approversSchema } from './approvers.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { templateVersionNumberSchema } from './template.ts';

const changedPartSchema = z
  .object({
    before: z.string().nullable().describe('In the current version; null if it has no such part.'),
    after: z.string().nullable().describe('In the draft; null if it removes the part.'),
  })
  .meta({ id: 'TemplatePartChange' });

/** An unpublished template version, as an approver sees it. */
export const templateDraftSchema = z
  .object({
    id: idSchema,
    templateId: idSchema,
    slug: z.string(),
    name: z.string(),
    version: z.number().int().describe('The number of the draft, and of the version that it becomes when published.'),
    baseVersion: z
      .number()
      .int()
      .nullable()
      .describe(
        'The version that was current when the draft was written; null for a template with no published version.',
      ),
    currentVersion: z
      .number()
      .int()
      .nullable()
      .describe(
        'The version that `changes` compares with, and that publishing replaces. If it differs from `baseVersion`, publishing also undoes what was published in between.',
      ),
    contentHash: z
      .string()
      .describe(
        'Identifies this draft and this current version. Pass it when you publish, so that nothing else is published.',
      ),
    createdBy: z.string().nullable().describe('The id of the key that wrote it.'),
    keyName: z.string().nullable(),
    createdAt: timestampSchema,
    note: z.string().nullable(),
    approvers: approversSchema.describe(
      'Who can publish it, by the rules of the account and of the key that wrote it. If `count` is above 1, no one can: a user writes the change instead.',
    ),
    changes: z
      .object({
        subject: changedPartSchema.optional(),
        html: changedPartSchema.optional(),
        text: changedPartSchema.optional(),
      })
      .describe('The parts that differ from the current version, in Liquid.'),
  })
  .meta({ id: 'TemplateDraft' });

/** The draft to decide. */
export const draftDecisionFields = {
  version: templateVersionNumberSchema.optional().describe('The draft. Optional if the template has only one.'),
  contentHash: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'The hash that was shown with the draft. If it no longer matches, nothing is decided (409 `approval_changed`).',
    ),
  note: z.string().max(LIMITS.approvalNoteCharacters).optional().describe('Stored in the audit log.'),
};

export type TemplateDraft = z.input<typeof templateDraftSchema>;
