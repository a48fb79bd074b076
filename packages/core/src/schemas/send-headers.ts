import { z } from 'zod';
import { idempotencyKeySchema } from './identifiers.ts';
import { agentNameSchema, sourceSchema } from './provenance.ts';

/** Request headers of a send, single or in a batch. */
export const sendHeadersSchema = z.object({
  'idempotency-key': idempotencyKeySchema.optional(),
  'x-service-agent': agentNameSchema.optional().describe('Agent name, used if the body has no `agent_name`.'),
  'x-service-source': sourceSchema.optional().describe('Source, used if the body has no `source`.'),
});

/** Response headers of every operation that uses the quota. */
export const SEND_RESPONSE_HEADERS = {
  'idempotency-replayed': '`true` if this is the stored response to an earlier request with the same idempotency key.',
  'x-quota-limit': 'Recipients the account may send to this month (UTC).',
  'x-quota-remaining': 'Recipients left this month after this send.',
} as const;
