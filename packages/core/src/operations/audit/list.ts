import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { auditEntrySchema } from '../../schemas/audit-entry.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';
import { timeBoundSchema } from '../../schemas/time-bound.ts';

export const listAuditEntries = defineOperation({
  id: 'audit.list',
  method: 'GET',
  path: '/audit',
  access: { kind: 'key', scope: 'audit:read' },
  reach: 'none',
  summary: 'Read the audit log',
  description:
    'Who changed what in the account, newest first, in keyset pages. Entries are never changed or removed, and each contains the hash of the previous one. The operator can verify all hashes with `postrider-server audit verify`.',
  effect: 'read',
  query: z.strictObject({
    action: z
      .string()
      .min(1)
      .max(LIMITS.auditActionCharacters)
      .optional()
      .describe(
        'Only this action, such as `domain.verified`; or an object type such as `domain`, for all actions on it.',
      ),
    actor: z.string().min(1).max(LIMITS.auditNameCharacters).optional().describe('Only changes by this actor.'),
    target_id: z.string().min(1).max(LIMITS.auditNameCharacters).optional().describe('Only changes of this object.'),
    from: timeBoundSchema.optional().describe('Entries made at this time or later.'),
    to: timeBoundSchema.optional().describe('Entries made before this time.'),
    limit: limitSchema,
    cursor: cursorSchema,
  }),
  status: 200,
  response: 'json',
  output: z.object({ entries: z.array(auditEntrySchema), ...pageFields }).meta({ id: 'AuditPage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_audit_entries',
    toolset: 'logs',
    title: 'Read the audit log',
    description:
      'Lists who changed what in the account, newest first, 20 at a time; filter by action, actor, target or time. Not for sends or API calls: use list_emails or list_requests. Returns rows without their hashes, and a cursor.',
  },
  cli: {
    command: 'audit list',
    examples: ['postrider audit list --action suppression', 'postrider audit list --actor <key id> --limit 20'],
  },
});
