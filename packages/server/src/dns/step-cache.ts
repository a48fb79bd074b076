import type { DnsStep } from './read-step.ts';

export interface StepCache {
  get(key: string, nowMs: number): DnsStep | null;
  /** @param asked a number that grows with each question: an answer to a later one is not replaced by that to an earlier one. */
  put(key: string, step: DnsStep, nowMs: number, asked: number): void;
}

interface Entry {
  readonly step: DnsStep;
  readonly expiresAtMs: number;
  readonly asked: number;
  readonly octets: number;
}

export interface StepCacheLimits {
  readonly maxEntries: number;
  /** Of all entries together, by a cautious estimate. */
  readonly maxOctets?: number;
}

/** RFC 2308 §7 allows five minutes; so little is enough to spare a server that fails, and a repaired one is found at once. */
const FAILURE_TTL_SECONDS = 5;

/** Strangers have us ask for answers of their making: whatever else there is room for, this is what theirs may take. */
const MAX_OCTETS = 16 * 1024 * 1024;
/** No record that mail needs comes near it; what is larger is asked for each time. */
const MAX_OCTETS_OF_ONE = 8 * 1024;
/** An entry and each string of it cost about this much beside their letters. */
const OVERHEAD_OCTETS = 64;
const LOOKED_AT_A_PUT = 2;

/** The oldest entries make room; those that have expired go before, a few at each put. */
export function createStepCache({ maxEntries, maxOctets = MAX_OCTETS }: StepCacheLimits): StepCache {
  // A Map keeps the order of insertion, so its first key is the oldest.
  const entries = new Map<string, Entry>();
  let octets = 0;
  let hand = entries.entries();

  function remove(key: string): void {
    octets -= entries.get(key)?.octets ?? 0;
    entries.delete(key);
  }

  /** Goes round and round: twice as fast as entries come, it meets each before as many others as there are have come. */
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
      const size = octetsOf(key, step);
      if (ttl <= 0 || size > MAX_OCTETS_OF_ONE) return;
      entries.set(key, { step, expiresAtMs: nowMs + ttl * 1_000, asked, octets: size });
      octets += size;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && octets <= maxOctets) return;
        remove(oldest);
      }
    },
  };
}

function octetsOf(key: string, step: DnsStep): number {
  const strings = [key, ...(step.kind === 'failed' ? [step.reason] : step.aliases)];
  if (step.kind === 'found') strings.push(...step.records.texts, ...step.records.mx.map(({ exchange }) => exchange));
  return strings.reduce((sum, text) => sum + OVERHEAD_OCTETS + Buffer.byteLength(text), OVERHEAD_OCTETS);
}
