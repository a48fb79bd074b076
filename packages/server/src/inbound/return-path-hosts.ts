import type { Clock } from '../clock.ts';

export interface ReturnPathHosts {
  /** Whether reports may come to a host, given in lower case as A-labels. @throws what looking it up throws. */
  has(host: string): Promise<boolean>;
}

export interface ReturnPathHostsOptions {
  readonly clock: Clock;
  readonly lookUp: (host: string) => Promise<boolean>;
}

/** Long enough that nobody has us look one host up over and over; a domain that was just added waits no longer for its reports. */
const KEPT_MS = 10_000;
const MAX_KEPT = 1_000;

/** Remembers for a moment which hosts are ours and which are not: any stranger may ask, as often as they like. Questions alike share one. */
export function createReturnPathHosts({ clock, lookUp }: ReturnPathHostsOptions): ReturnPathHosts {
  // A Map keeps the order of insertion, so its first key is the oldest.
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
      // What failed is asked again; whoever waits for it hears of it.
      isOurs.catch(() => {
        if (known.get(host) === entry) known.delete(host);
      });
      return isOurs;
    },
  };
}
