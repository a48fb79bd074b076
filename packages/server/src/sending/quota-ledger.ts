import type { AccountFact } from '../db/queries/acceptance-facts.ts';
import type { QuotaUsage } from '../db/queries/charge-quota.ts';
import type { QuotaState } from './send-verdict.ts';

/** Counts the quota while a batch is decided, so that its items are charged one after the other. */
export interface QuotaLedger {
  usageOf(accountId: string): { readonly limit: number; readonly used: number };
  /** Returns what the batch has charged the account, including this charge. */
  charge(accountId: string, units: number): number;
  /** Applies what the statement returned, because other batches may have charged the same accounts in the meantime. */
  settle(usage: readonly QuotaUsage[]): void;
  stateAt(accountId: string, charged: number): QuotaState;
}

/** For accounts without facts, the statement decides whether their quota suffices, and `settle` applies what they have used. */
export function createQuotaLedger(facts: Iterable<AccountFact>): QuotaLedger {
  const accounts = new Map<string, { limit: number; used: number; charged: number }>();
  for (const { accountId, quota, used } of facts) {
    accounts.set(accountId, { limit: quota, used, charged: 0 });
  }
  const of = (accountId: string) => {
    const known = accounts.get(accountId);
    if (known !== undefined) return known;
    const unread = { limit: 0, used: 0, charged: 0 };
    accounts.set(accountId, unread);
    return unread;
  };
  return {
    usageOf: (accountId) => ({ limit: of(accountId).limit, used: of(accountId).used + of(accountId).charged }),
    charge: (accountId, units) => {
      const account = of(accountId);
      account.charged += units;
      return account.charged;
    },
    settle: (usage) => {
      for (const { accountId, limit, used } of usage) {
        const account = of(accountId);
        account.limit = limit;
        account.used = used - account.charged;
      }
    },
    stateAt: (accountId, charged) => {
      const { limit, used } = of(accountId);
      return { limit, remaining: Math.max(0, limit - used - charged) };
    },
  };
}
