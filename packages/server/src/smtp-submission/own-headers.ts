import { isReservedHeader } from '@postrider/core';
import type { HeaderField } from './read-header-fields.ts';

/** Headers that become fields of the send request. They are never sent as they are. */
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
 * The headers that are sent as the sender wrote them. The others are reserved, or described only the message as we
 * received it: its date, its encoding, its route, and what others certified.
 */
export function passedHeaders(fields: readonly HeaderField[]): readonly HeaderField[] {
  return fields.filter(({ key }) => !READ.has(key) && !isReservedHeader(key));
}
