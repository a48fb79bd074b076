import { createHash, timingSafeEqual } from 'node:crypto';
import { ProblemError } from '../problem.ts';
import { isUuid } from '../uuid-v7.ts';

/** What a cursor belongs to: it means nothing in another list, another account, or with other filters. */
export interface CursorScope {
  readonly list: string;
  readonly accountId: string;
  readonly filters: Readonly<Record<string, unknown>>;
}

const TAG_BYTES = 12;

/** An opaque cursor behind the row of this id. */
export function encodeCursor(id: string, scope: CursorScope): string {
  return Buffer.concat([tagOf(id, scope), Buffer.from(id.replaceAll('-', ''), 'hex')]).toString('base64url');
}

/**
 * The id a cursor stands behind; null without a cursor.
 * @throws ProblemError `invalid_cursor` where it is broken, or was made for something else.
 */
export function decodeCursor(cursor: string | undefined, scope: CursorScope): string | null {
  if (cursor === undefined) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  const hex = bytes.subarray(TAG_BYTES).toString('hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  const intact =
    bytes.length === TAG_BYTES + 16 &&
    bytes.toString('base64url') === cursor &&
    isUuid(id) &&
    timingSafeEqual(bytes.subarray(0, TAG_BYTES), tagOf(id, scope));
  if (!intact) throw new ProblemError('invalid_cursor');
  return id;
}

function tagOf(id: string, scope: CursorScope): Buffer {
  const text = JSON.stringify([id, scope.list, scope.accountId, Object.entries(scope.filters).sort()]);
  return createHash('sha256').update(text).digest().subarray(0, TAG_BYTES);
}
