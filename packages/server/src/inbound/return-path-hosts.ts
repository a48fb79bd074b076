import type { Clock } from '../clock.ts';

export interface ReturnPathHosts {
  /** Whether reports may be sent to a host, given in lowercase as A-labels. @throws what the lookup throws. */
  has(host: string): Promise<boolean>;
}

export interface ReturnPathHostsOptions {
  readonly clock: Clock;
  readonly lookUp: (host: string) => Promise<boolean>;
}

/** Long enough to prevent repeated lookups of one host, and short enough that a new domain soon receives its reports. */
const KEPT_MS = 10_000;
const MAX_KEPT = 1_000;

/** Briefly caches which hosts are ours: any client may ask at any rate. Concurrent identical lookups share one query. */
export function createReturnPathHosts({ clock, lookUp }: ReturnPathHostsOptions): ReturnPathHosts {
  // A Map keeps insertion order, so its first key is the oldest.
  const known = new Map<string, { readonly isOurs: Promise<boolean>; readonly untilMs: number }>();
  return {
    has(host) {
      const nowMs = clock.now().getTime();
      const before = known.get(host);
      if (before !== undefined && nowMs < before.untilMs) return before.isOurs;
      const isOurs = lookUp(host);
      const entry = { isOurs, untilMs: nowMs + KEPT_MS };
      known.delete(host);
      known.set(host, entry);
      const [oldest] = known.keys();
      if (known.size > MAX_KEPT && oldest !== undefined) known.delete(oldest);
      // A failed lookup is not cached; callers that wait for it get the error.
      isOurs.catch(() => {
        if (known.get(host) === entry) known.delete(host);
      });
      return isOurs;
    },
  };
}
