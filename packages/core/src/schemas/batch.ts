import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { dryRunSchema } from './dry-run.ts';
import { idSchema } from './identifiers.ts';
import { problemSchema } from './problem.ts';
import { acceptedStatusSchema, heldFields } from './send-accepted.ts';

/** The list alone: each item is read by the schema of a send for itself, so that a wrong one is refused by itself. */
export const batchBodySchema = z.strictObject({
  emails: z
    .array(z.unknown())
    .min(1)
    .max(LIMITS.emailsPerBatch)
    .describe(`Sends, 1 to ${LIMITS.emailsPerBatch}; each is judged by itself.`),
});

const batchResultSchema = z
  .object({
    index: z.number().int().describe('Position of the item in the request, from 0.'),
    ok: z.boolean().describe('Whether the item was accepted; of a dry run, whether it would be.'),
    id: idSchema.optional().describe('Of an accepted item.'),
    status: acceptedStatusSchema.optional(),
    ...heldFields,
    dryRun: z.literal(true).optional().describe('Of an item with `dry_run`.'),
    result: dryRunSchema.optional().describe('Of an item with `dry_run`: what a dry run answers.'),
    error: problemSchema.optional().describe('Of a refused item. Paths in `errors` are those of the item.'),
  })
  .meta({ id: 'BatchItem' });

export const batchOutcomeSchema = z
  .object({
    accepted: z.number().int().describe('Accepted items, dry runs that found nothing wrong included.'),
    refused: z.number().int().describe('Refused items.'),
    total: z.number().int().describe('Items in all.'),
    results: z.array(batchResultSchema).describe('One entry an item, in order.'),
  })
  .meta({ id: 'BatchOutcome' });

export type BatchItem = z.input<typeof batchResultSchema>;
