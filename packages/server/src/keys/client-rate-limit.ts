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
 * Exact in any period of `windowMs`. Servers on several machines count separately. Rejected requests are not counted, so that a client that
 * keeps retrying is not blocked forever.
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

/** Counts requests of clients without a key for all processes of a server. */
export interface ClientCounter {
  /** The same as `ClientRateLimit.take`, in the count with this name. */
  take(count: string, address: string, requests: number): number | null | Promise<number | null>;
}

const MINUTE_MS = 60_000;

/** Counts requests within the last minute, separately for each count. */
export function createClientCounter(clock: Clock): ClientCounter {
  const counts = new Map<string, ClientRateLimit>();
  return {
    take(count, address, requests) {
      const known = counts.get(count) ?? createClientRateLimit({ clock, windowMs: MINUTE_MS });
      counts.set(count, known);
      return known.take(address, requests);
    },
  };
}
