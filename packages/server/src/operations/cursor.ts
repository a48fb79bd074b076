import { createHash, timingSafeEqual } from 'node:crypto';
import { ProblemError } from '../problem.ts';
import { isUuid } from '../uuid-v7.ts';

/** The scope of a cursor: it is invalid in another list, in another account, or with other filters. */
export interface CursorScope {
  readonly list: string;
  readonly accountId: string;
  readonly filters: Readonly<Record<string, unknown>>;
}

const TAG_BYTES = 12;

/** An opaque cursor for the position after the row with this id. */
export function encodeCursor(id: string, scope: CursorScope): string {
  return Buffer.concat([tagOf(id, scope), Buffer.from(id.replaceAll('-', ''), 'hex')]).toString('base64url');
}

/**
 * The id of the row that a cursor follows; null without a cursor.
 * @throws ProblemError `invalid_cursor` if it is malformed or belongs to another list
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
