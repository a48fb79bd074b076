import { clientOf } from '../client-address.ts';
import type { Clock } from '../clock.ts';

/** Counts the requests of clients that bear no key, by their address. */
export interface ClientRateLimit {
  /** Seconds until a client that may make `requests` in the window may come again; null where it may come now, and then it is counted. */
  take(address: string, requests: number): number | null;
}

export interface ClientRateLimitOptions {
  readonly clock: Clock;
  readonly windowMs: number;
}

/** Past so many clients the one that came first is forgotten: memory must not follow the number of addresses somebody has. */
const MAX_CLIENTS = 50_000;

/**
 * Exact in any `windowMs`, in this process: with several processes behind one address each has its own count. Refused requests
 * are not counted, so that a client that goes on asking is not kept out for ever.
 */
export function createClientRateLimit({ clock, windowMs }: ClientRateLimitOptions): ClientRateLimit {
  const times = new Map<string, number[]>();
  return {
    take(address, requests) {
      const client = clientOf(address);
      const nowMs = clock.now().getTime();
      const recent = (times.get(client) ?? []).filter((at) => at > nowMs - windowMs);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= requests) return Math.ceil((oldest + windowMs - nowMs) / 1_000);
      times.delete(client); // So that the map's order is that of the last requests.
      const [first] = times.size >= MAX_CLIENTS ? times.keys() : [];
      if (first !== undefined) times.delete(first);
      times.set(client, [...recent, nowMs]);
      return null;
    },
  };
}
