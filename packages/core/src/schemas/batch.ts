import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { dryRunSchema } from './dry-run.ts';
import { idSchema } from './identifiers.ts';
import { problemSchema, retryAfterSecondsSchema } from './problem.ts';
import { acceptedStatusSchema, heldFields } from './send-accepted.ts';

/** Checks only the list: each item is parsed separately with the schema of a send, so that invalid items are refused individually. */
export const batchBodySchema = z.strictObject({
  emails: z
    .array(z.unknown())
    .min(1)
    .max(LIMITS.emailsPerBatch)
    .describe(`Sends, 1 to ${LIMITS.emailsPerBatch}; each is checked separately.`),
});

const batchResultSchema = z
  .object({
    index: z.number().int().describe('Position of the item in the request, from 0.'),
    ok: z.boolean().describe('Whether the item was accepted; in a dry run, whether it would be.'),
    id: idSchema.optional().describe('Only for an accepted item.'),
    status: acceptedStatusSchema.optional(),
    ...heldFields,
    dryRun: z.literal(true).optional().describe('Only for an item with `dry_run`.'),
    result: dryRunSchema.optional().describe('Only for an item with `dry_run`: the result of the dry run.'),
    error: problemSchema.optional().describe('Only for a refused item. Paths in `errors` are relative to the item.'),
    retryAfterSeconds: retryAfterSecondsSchema.optional(),
  })
  .meta({ id: 'BatchItem' });

export const batchOutcomeSchema = z
  .object({
    accepted: z.number().int().describe('Accepted items, including dry runs that found no problem.'),
    refused: z.number().int().describe('Refused items.'),
    total: z.number().int().describe('Number of items.'),
    results: z.array(batchResultSchema).describe('One entry per item, in order.'),
  })
  .meta({ id: 'BatchOutcome' });

export type BatchItem = z.input<typeof batchResultSchema>;
