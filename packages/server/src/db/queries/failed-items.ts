import { type SQL, sql } from '../drizzle.ts';

/**
 * The rules that statements check while they accept sends. One that depends on an account or a key fails every item that may be at fault: all
 * that share the account, the key or the limit.
 */
export type AcceptanceRule =
  | 'account'
  | 'sendLimit'
  | 'key'
  | 'quota'
  | 'domain'
  | 'idempotency'
  | 'suppression'
  /** Too many undecided holds of the key. */
  | 'heldPerKey'
  /** The undecided holds of the account reserve too much of its quota. */
  | 'heldQuota';

/** An item of a batch, by its place, and a rule that it failed. */
export interface FailedItem {
  readonly item: number;
  readonly rule: AcceptanceRule;
}

/**
 * Ends the statement with SQLSTATE PR001 if any item failed, so that nothing of its transaction stays; `failedItemsOf` reads which items failed.
 * @param failed the name of a list of rows: the item `o` and its `rule`
 */
export function refuseItems(failed: SQL): SQL {
  return sql`refuse_items((SELECT jsonb_agg(jsonb_build_object('item', o, 'rule', rule)) FROM ${failed}))`;
}

/** The items that made a statement refuse a batch; null for any other error. */
export function failedItemsOf(error: unknown): readonly FailedItem[] | null {
  if (!(error instanceof Error && 'code' in error && error.code === 'PR001' && 'detail' in error)) return null;
  return typeof error.detail === 'string' ? (JSON.parse(error.detail) as FailedItem[]) : null; // As `refuse_items` was given them.
}
