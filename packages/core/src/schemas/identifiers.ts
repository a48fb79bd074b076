import { z } from 'zod';
import { LIMITS } from '../limits.ts';

export const idSchema = z.uuid().describe('UUIDv7, so that id order is time order.');

export const timestampSchema = z.iso
  .datetime({ precision: 3 })
  .describe('ISO 8601 in UTC with milliseconds, for example `2026-01-31T09:00:00.000Z`.');

const REQUEST_ID = /^[A-Za-z0-9._-]+$/;

/** A caller's request id is used if it has this form; otherwise it is replaced. */
export function isRequestId(text: string): boolean {
  return text.length >= 1 && text.length <= LIMITS.requestIdCharacters && REQUEST_ID.test(text);
}

/** Idempotency keys that a program derives from the content: kept only for LIMITS.automaticKeyMinutes, because the same content may be intended again later. */
export const AUTOMATIC_KEY_PREFIX = 'auto-10m-';

/** Printable ASCII only, because the key is sent in a header. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be 1 to 255 printable ASCII characters')
  .max(LIMITS.idempotencyKeyCharacters)
  .describe(
    `Makes a retry safe: the same key never sends twice. For ${LIMITS.idempotencyKeyHours} h the same key with the same body returns the first response again, with \`idempotency-replayed: true\`. Keys that start with \`${AUTOMATIC_KEY_PREFIX}\` are kept for ${LIMITS.automaticKeyMinutes} minutes. 1 to ${LIMITS.idempotencyKeyCharacters} printable ASCII characters.`,
  );
