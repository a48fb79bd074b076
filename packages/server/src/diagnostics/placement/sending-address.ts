import { isIP } from 'node:net';
import { type PlacedField, valuesOf } from './placed-message.ts';

/**
 * The address that sent a message, from the topmost Received header that contains one (RFC 5321 §4.4): only what the
 * server wrote into the comment, never what the client claimed. Null if there is none.
 */
export function sendingAddressOf(fields: readonly PlacedField[]): string | null {
  const received = valuesOf(fields, 'received').find((value) => /^from\s/i.test(value));
  if (received === undefined) return null;
  const end = received.search(/\sby\s/i);
  const clause = end === -1 ? received : received.slice(0, end);
  if (!clause.includes('(')) return null;
  const written = [...clause.matchAll(/\[(?:IPv6:)?([0-9a-f.:]{2,45})\]/gi)].filter(
    ({ 1: address = '', index }) =>
      isIP(address) !== 0 && !/(?:helo|ehlo)=$/i.test(clause.slice(Math.max(0, index - 5), index)),
  );
  return written.at(-1)?.[1] ?? null;
}
