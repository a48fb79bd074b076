/** Remembers which accounts have more messages than a total counts, so that not every first page counts ten thousand again. */
export interface LargeLogs {
  isLarge(accountId: string): boolean;
  add(accountId: string): void;
}

/** Messages leave a log only by retention, so this is at most this long out of date. */
const REMEMBERED_MS = 10_000;
/** Above this number of accounts, the oldest is forgotten. */
const MAX_KEPT = 10_000;

export function createLargeLogs(nowMs: () => number = () => performance.now()): LargeLogs {
  const until = new Map<string, number>();
  return {
    isLarge: (accountId) => (until.get(accountId) ?? 0) > nowMs(),
    add(accountId) {
      until.delete(accountId);
      until.set(accountId, nowMs() + REMEMBERED_MS);
      const [oldest] = until.keys();
      if (until.size > MAX_KEPT && oldest !== undefined) until.delete(oldest);
    },
  };
}
