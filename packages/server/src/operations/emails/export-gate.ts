/** Counts the exports of each account that are under way in this process: a few that nobody reads must not take everybody's place. */
export interface ExportGate {
  /** Answers how to leave again, which may be called twice; null where the account has too many inside. */
  enter(accountId: string): (() => void) | null;
}

export function createExportGate(maxPerAccount: number): ExportGate {
  const inside = new Map<string, number>();
  return {
    enter(accountId) {
      const count = inside.get(accountId) ?? 0;
      if (count >= maxPerAccount) return null;
      inside.set(accountId, count + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        const now = (inside.get(accountId) ?? 1) - 1;
        if (now === 0) inside.delete(accountId);
        else inside.set(accountId, now);
      };
    },
  };
}
