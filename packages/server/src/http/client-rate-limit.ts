import { clientOf } from '../client-address.ts';
import type { Clock } from '../clock.ts';

/** Counts requests of clients without a key, by their address. */
export interface ClientRateLimit {
  /** Seconds until a client that may make `requests` in the window may try again. Null if it may now, and then the request is counted. */
  take(address: string, requests: number): number | null;
}

export interface ClientRateLimitOptions {
  readonly clock: Clock;
  readonly windowMs: number;
}

/** Beyond this many clients the oldest is forgotten: memory must not grow with the number of addresses that someone controls. */
const MAX_CLIENTS = 50_000;

/**
 * Exact in any `windowMs` within this process; with several processes behind one address, each counts separately.
 * Rejected requests are not counted, so that a client that keeps retrying is not blocked forever.
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
      times.delete(client); // Keeps the map in the order of the last requests.
      const [first] = times.size >= MAX_CLIENTS ? times.keys() : [];
      if (first !== undefined) times.delete(first);
      times.set(client, [...recent, nowMs]);
      return null;
    },
  };
}
