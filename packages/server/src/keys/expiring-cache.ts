import type { Clock } from '../clock.ts';

/** A cache of credentials, whose entries expire after half a second. */
export interface ExpiringCache<T> {
  /** Returns the cached value of this name, or reads it if it is older than half a second. Failed reads are not cached. */
  recall(name: string, read: () => Promise<T>): T | Promise<T>;
  forget(): void;
}

/** Changes of keys and sessions must take effect within a second in every process, so values are cached for half of one. */
const TRUST_MS = 500;
const MAX_KEPT = 10_000;

export function createExpiringCache<T>(clock: Clock): ExpiringCache<T> {
  const kept = new Map<string, Kept<T>>();
  return {
    recall(name, read) {
      const nowMs = clock.now().getTime();
      const known = kept.get(name);
      if (known !== undefined && isFresh(known.readAtMs, nowMs)) return known.value;
      if (kept.size >= MAX_KEPT) kept.clear();
      const value = read();
      const entry: Kept<T> = { value, readAtMs: nowMs };
      kept.set(name, entry);
      value.then(
        (read) => {
          entry.value = read;
        },
        () => {
          if (kept.get(name) === entry) kept.delete(name);
        },
      );
      return value;
    },
    forget: () => kept.clear(),
  };
}

interface Kept<T> {
  /** A promise while it is being read. */
  value: T | Promise<T>;
  readonly readAtMs: number;
}

/** A read time in the future means that the clock was set back, so the entry's age is unknown. */
function isFresh(readAtMs: number, nowMs: number): boolean {
  return readAtMs <= nowMs && nowMs < readAtMs + TRUST_MS;
}
