/** Remembers up to `maxEntries` keys for a limited time. The oldest are dropped first. */
export interface ExpiringSet {
  add(key: string): void;
  has(key: string): boolean;
  delete(key: string): void;
}

export function createExpiringSet(lifeMs: number, maxEntries: number, now: () => Date): ExpiringSet {
  const untilMs = new Map<string, number>();
  return {
    add(key) {
      untilMs.delete(key);
      untilMs.set(key, now().getTime() + lifeMs);
      // A Map keeps insertion order, so the first key is the oldest.
      const [oldest] = untilMs.keys();
      if (untilMs.size > maxEntries && oldest !== undefined) untilMs.delete(oldest);
    },
    has: (key) => (untilMs.get(key) ?? 0) > now().getTime(),
    delete: (key) => {
      untilMs.delete(key);
    },
  };
}
