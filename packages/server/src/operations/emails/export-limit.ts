/** Limits the exports that each account runs at a time in this process, so that a few unread ones do not use up all connections. */
export interface ExportLimit {
  /** Returns the release function, which may be called twice; null if the account already runs too many exports. */
  tryAcquire(accountId: string): (() => void) | null;
}

export function createExportLimit(maxPerAccount: number): ExportLimit {
  const running = new Map<string, number>();
  return {
    tryAcquire(accountId) {
      const count = running.get(accountId) ?? 0;
      if (count >= maxPerAccount) return null;
      running.set(accountId, count + 1);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        const now = (running.get(accountId) ?? 1) - 1;
        if (now === 0) running.delete(accountId);
        else running.set(accountId, now);
      };
    },
  };
}
