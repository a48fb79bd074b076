import { z } from 'zod';
import { idSchema, timestampSchema } from './identifiers.ts';

/** One entry of the audit log. */
export const auditEntrySchema = z
  .object({
    id: idSchema,
    seq: z.number().int().describe('From 1 in each account, without gaps.'),
    action: z.string().describe('The object type and what happened to it, such as `suppression.removed`.'),
    actor: z
      .string()
      .describe(
        'The id of a key or user; `system` for a rule of the server, `operator` for its command line, `recipient` for a recipient of mail.',
      ),
    targetId: z.string().nullable().describe('What was changed; null if it is the account itself.'),
    details: z.record(z.string(), z.unknown()).describe('Further details, such as a note.'),
    createdAt: timestampSchema,
    hash: z
      .string()
      .nullable()
      .describe(
        'SHA-256 in hexadecimal over `previousHash` and all fields of the entry: changing a field changes the hash. Null for a caller that does not see all fields of the log, which the hashes would confirm.',
      ),
    previousHash: z
      .string()
      .nullable()
      .describe('`hash` of the previous entry; 64 zeros in the first entry. Null if `hash` is.'),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntry = z.input<typeof auditEntrySchema>;
