import type { DnsStep } from './read-step.ts';

export interface StepCache {
  get(key: string, nowMs: number): DnsStep | null;
  /** @param asked a number that increases with each query: a response to a later query is not replaced by one to an earlier query. */
  put(key: string, step: DnsStep, nowMs: number, asked: number): void;
}

interface Entry {
  readonly step: DnsStep;
  readonly expiresAtMs: number;
  readonly asked: number;
  readonly bytes: number;
}

export interface StepCacheLimits {
  readonly maxEntries: number;
  /** For all entries together, as a conservative estimate. */
  readonly maxBytes?: number;
}

/** RFC 2308 §7 allows five minutes. This is enough to spare a failing server, and a repaired one is noticed soon. */
const FAILURE_TTL_SECONDS = 5;

/** Strangers can make us query names of their choice. This is the most memory that their responses may use. */
const MAX_BYTES = 16 * 1024 * 1024;
/** No record that mail needs is nearly as large. A larger one is queried each time. */
const MAX_ENTRY_BYTES = 8 * 1024;
/** The approximate overhead of an entry and of each of its strings, in addition to the characters. */
const OVERHEAD_BYTES = 64;
const LOOKED_AT_A_PUT = 2;

/** The oldest entries are dropped to make room. Expired ones are removed first, a few at each put. */
export function createStepCache({ maxEntries, maxBytes = MAX_BYTES }: StepCacheLimits): StepCache {
  // A Map keeps insertion order, so its first key is the oldest.
  const entries = new Map<string, Entry>();
  let bytes = 0;
  let hand = entries.entries();

  function remove(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  /** Scans in a circle at twice the insert rate, so that it visits each entry before as many new ones arrive as there are. */
  function dropExpired(nowMs: number): void {
    for (let looks = 0; looks < LOOKED_AT_A_PUT; looks += 1) {
      const next = hand.next();
      if (next.done === true) hand = entries.entries();
      else if (nowMs >= next.value[1].expiresAtMs) remove(next.value[0]);
    }
  }

  return {
    get(key, nowMs) {
      const entry = entries.get(key);
      if (entry === undefined) return null;
      if (nowMs < entry.expiresAtMs) return entry.step;
      remove(key);
      return null;
    },
    put(key, step, nowMs, asked) {
      if ((entries.get(key)?.asked ?? 0) > asked) return;
      remove(key);
      dropExpired(nowMs);
      const ttl = step.kind === 'failed' ? FAILURE_TTL_SECONDS : step.ttl;
      const size = bytesOf(key, step);
      if (ttl <= 0 || size > MAX_ENTRY_BYTES) return;
      entries.set(key, { step, expiresAtMs: nowMs + ttl * 1_000, asked, bytes: size });
      bytes += size;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && bytes <= maxBytes) return;
        remove(oldest);
      }
    },
  };
}

function bytesOf(key: string, step: DnsStep): number {
  const strings = [key, ...(step.kind === 'failed' ? [step.reason] : step.aliases)];
  if (step.kind === 'found') strings.push(...step.records.texts, ...step.records.mx.map(({ exchange }) => exchange));
  return strings.reduce((sum, text) => sum + OVERHEAD_BYTES + Buffer.byteLength(text), OVERHEAD_BYTES);
}
