import type { Clock } from '../clock.ts';

/** What was read of somebody's credentials, for a moment. */
export interface BriefMemory<T> {
  /** What was read under this name half a second ago at most, and read anew otherwise. A reading that failed is not remembered. */
  recall(name: string, read: () => Promise<T>): Promise<T>;
  forget(): void;
}

/** Changes of keys and sessions must act within a second on every process, so what was read is believed for half of one. */
const BELIEVE_MS = 500;
const MAX_KEPT = 10_000;

export function createBriefMemory<T>(clock: Clock): BriefMemory<T> {
  const kept = new Map<string, { readonly value: Promise<T>; readonly readAtMs: number }>();
  return {
    recall(name, read) {
      const nowMs = clock.now().getTime();
      const known = kept.get(name);
      if (known !== undefined && isFresh(known.readAtMs, nowMs)) return known.value;
      if (kept.size >= MAX_KEPT) kept.clear();
      const value = read();
      kept.set(name, { value, readAtMs: nowMs });
      value.catch(() => kept.delete(name));
      return value;
    },
    forget: () => kept.clear(),
  };
}

/** What was read in the future was read before the clock was set back, nobody knows how long ago. */
function isFresh(readAtMs: number, nowMs: number): boolean {
  return readAtMs <= nowMs && nowMs < readAtMs + BELIEVE_MS;
}
