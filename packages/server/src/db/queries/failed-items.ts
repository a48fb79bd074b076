import { type SQL, sql } from '../drizzle.ts';

/**
 * The rules that statements check when they accept sends. A rule about an account or a key fails every item that may have caused it: all
 * items that share the account, the key or the limit.
 */
export type AcceptanceRule =
  | 'account'
  | 'sendLimit'
  | 'key'
  | 'quota'
  | 'domain'
  | 'idempotency'
  | 'suppression'
  /** The key has too many undecided holds. */
  | 'heldPerKey'
  /** The account's undecided holds reserve too much of its quota. */
  | 'heldQuota';

/** An item, by its position in the batch, and a rule that it failed. */
export interface FailedItem {
  readonly item: number;
  readonly rule: AcceptanceRule;
}

/**
 * Ends the statement with SQLSTATE PR001 if any item failed, so that its transaction has no effect; `failedItemsOf` returns the items.
 * @param failed the name of a row set with the item `o` and its `rule`
 */
export function refuseItems(failed: SQL): SQL {
  return sql`refuse_items((SELECT jsonb_agg(jsonb_build_object('item', o, 'rule', rule)) FROM ${failed}))`;
}

/** Returns the items that made a statement reject a batch; null for any other error. */
export function failedItemsOf(error: unknown): readonly FailedItem[] | null {
  if (!(error instanceof Error && 'code' in error && error.code === 'PR001' && 'detail' in error)) return null;
  return typeof error.detail === 'string' ? (JSON.parse(error.detail) as FailedItem[]) : null; // The JSON that `refuse_items` received.
}
