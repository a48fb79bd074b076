import { createHash } from 'node:crypto';
import { AUTOMATIC_KEY_PREFIX, type PlacedInput } from '@postrider/core';

/** A send with its idempotency key, and whether the caller chose that key. */
export interface GuardedInput {
  readonly input: PlacedInput;
  readonly isAutomatic: boolean;
}

/** The field of the result that reports a duplicate. */
export const DEDUPLICATED = {
  type: 'boolean',
  description: 'True: sent before within 10 minutes; this is the first id.',
};

/**
 * Agents send again when they are unsure. A send without an idempotency key gets one derived from the calling key and the content, which the
 * server stores for ten minutes: the same content from the same key is the same send, and returns the first message.
 * @param caller distinguishes the keys of one account
 */
export function guardDuplicates(operationId: string, input: PlacedInput, caller: string): GuardedInput {
  if (input.headers['idempotency-key'] !== undefined) return { input, isAutomatic: false };
  const content = JSON.stringify(canonical([caller, operationId, input.params, input.body ?? null]));
  const key = `${AUTOMATIC_KEY_PREFIX}${createHash('sha256').update(content).digest('base64url')}`;
  return { input: { ...input, headers: { ...input.headers, 'idempotency-key': key } }, isAutomatic: true };
}

/** Set only for duplicates: other results are exactly those of the operation. */
export function deduplicationOf(isReplayed: boolean, isAutomatic: boolean): { readonly deduplicated?: true } {
  return isReplayed && isAutomatic ? { deduplicated: true } : {};
}

/** How the result reports that it is the first message: as text and as a field. */
export function duplicateNotes(isReplayed: boolean, isAutomatic: boolean): readonly string[] {
  if (!isReplayed) return [];
  return isAutomatic
    ? [
        'This key sent the same content within the last 10 minutes: this is that first message, and nothing was sent twice. To send it again anyway, pass your own idempotency_key.',
      ]
    : ['This idempotency_key was used before: this is the first response, and nothing was sent twice.'];
}

/** Whether a note is about a duplicate. */
export function isReplayNote(note: string): boolean {
  return note.endsWith(NOTHING_TWICE) || note.includes(`${NOTHING_TWICE} `);
}

/** The text in every such note. */
const NOTHING_TWICE = 'nothing was sent twice.';

/** Sorts keys, so that equal content in another order is the same. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, canonical(inner)]);
}
