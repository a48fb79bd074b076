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
 * Written anew, or true only of the message as it came: its date and id, how it was encoded, the way it took, and what others vouched for.
 * A second blind copy field must not travel either.
 */
const REPLACED = new Set([
  'date',
  'message-id',
  'mime-version',
  'received',
  'received-spf',
  'return-path',
  'dkim-signature',
  'domainkey-signature',
  'authentication-results',
  'resent-bcc',
]);
const REPLACED_FAMILIES = ['content-', 'arc-'];

/** The headers that travel with the message as the sender wrote them. */
export function passedHeaders(fields: readonly HeaderField[]): readonly HeaderField[] {
  return fields.filter(({ key }) => {
    return !READ.has(key) && !REPLACED.has(key) && !REPLACED_FAMILIES.some((family) => key.startsWith(family));
  });
}
