import { isReservedHeader } from '@postrider/core';
import type { HeaderField } from './read-header-fields.ts';

/** Read into fields of the send request; they never travel as they stand. */
const READ = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  'subject',
  'reply-to',
  'sender',
  'x-service-agent',
  'x-service-source',
  'x-tag',
  'idempotency-key',
]);

/**
 * The headers that are sent as the sender wrote them. Reserved ones are replaced, or were true only of the message as it was received: its date, its
 * encoding, the way it took, and what others vouched for.
 */
export function passedHeaders(fields: readonly HeaderField[]): readonly HeaderField[] {
  return fields.filter(({ key }) => !READ.has(key) && !isReservedHeader(key));
}
