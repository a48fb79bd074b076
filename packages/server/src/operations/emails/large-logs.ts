/** Remembers which accounts have more messages than a total counts, so that the first page need not count ten thousand each time. */
export interface LargeLogs {
  isLarge(accountId: string): boolean;
  add(accountId: string): void;
}

/** Only retention removes messages from a log, so an entry is out of date for at most this long. */
const REMEMBERED_MS = 10_000;
/** Above this number of accounts, the oldest entry is removed. */
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
