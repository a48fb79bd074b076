import { z } from 'zod';
import { idSchema, timestampSchema } from './identifiers.ts';

/** One entry of the audit log. */
export const auditEntrySchema = z
  .object({
    id: idSchema,
    seq: z.number().int().describe('From 1 in each account, without gaps.'),
    action: z.string().describe('The noun and what became of it, such as `suppression.removed`.'),
    actor: z
      .string()
      .describe(
        'The id of a key or a person; `system` where a rule of the server did it, `operator` where somebody at its command line did, `recipient` where somebody who got mail did.',
      ),
    targetId: z.string().nullable().describe('What was changed; null where it is the account itself.'),
    details: z.record(z.string(), z.unknown()).describe('What a reader has to know beside that, such as a note.'),
    createdAt: timestampSchema,
    hash: z
      .string()
      .describe('SHA-256 in hexadecimal over `previousHash` and all the fields of the entry: changing one changes it.'),
    previousHash: z.string().describe('`hash` of the entry before, and 64 zeros in the first.'),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntry = z.input<typeof auditEntrySchema>;
