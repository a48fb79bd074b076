import type { Sql } from '../db/client.ts';
import { type Allowance, type AllowanceAsk, takeAllowance } from '../db/queries/key-rates.ts';
import type { Caller } from './caller.ts';

/** Whether a key may make one more request, and the values for the response headers. Seconds are whole, rounded up. */
export interface RateVerdict {
  readonly ok: boolean;
  /** Requests per minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the whole limit is available again. */
  readonly fullSeconds: number;
  /** Seconds until the next request is allowed; at least 1 if this one is refused. */
  readonly retryAfterSeconds: number;
}

/** The rate limits of keys, exact across all processes that share a database. */
export interface KeyRates {
  /** Counts one request. Rejects only if the database fails. */
  take(caller: Pick<Caller, 'accountId' | 'keyId' | 'rateLimit'>): RateVerdict | Promise<RateVerdict>;
  /** Returns unused tokens to the database. */
  close(): Promise<void>;
}

/** How long a process may use the tokens leased to it. */
const LEASE_MS = 100;
/** How much longer other processes wait for returned tokens, because a busy process may return them late. */
const RETURN_MS = 150;
/**
 * If the database takes longer than this, no tokens are leased: the process would return them late, and other processes would refuse
 * requests meanwhile.
 */
const QUICK_MS = 120;
/** Above this number of keys, idle ones are removed. */
const MAX_KEPT = 10_000;

interface Waiter {
  readonly resolve: (verdict: RateVerdict) => void;
  readonly reject: (error: unknown) => void;
}

interface Bucket {
  readonly accountId: string;
  readonly keyId: string;
  limit: number;
  readonly waiting: Waiter[];
  /** Leased tokens that are not used yet; valid until `leaseEndsMs`. */
  spare: number;
  leaseEndsMs: number;
  /** What the database last returned, and when. */
  remaining: number;
  fullMs: number;
  knownAtMs: number;
  /** The number of requests since `countedFromMs`. */
  count: number;
  countedFromMs: number;
  /** Wakes the bucket to return unused tokens, or to ask again for waiting requests. */
  timer: NodeJS.Timeout | null;
}

/**
 * Requests of a key use the tokens leased to this process. Without any left, all waiting requests ask the database together, one statement
 * at a time. So a busy key costs about ten statements per second, however many requests it makes, and a quiet key one statement per
 * request. While another process may have unused tokens, requests wait for their return and are not refused.
 */
export function createKeyRates(sql: Sql): KeyRates {
  const buckets = new Map<string, Bucket>();
  const due = new Set<Bucket>();
  let asking: Promise<void> | null = null;
  let lastTripMs = Number.POSITIVE_INFINITY;

  function bucketOf({ accountId, keyId, rateLimit }: Parameters<KeyRates['take']>[0], nowMs: number): Bucket {
    const known = buckets.get(keyId);
    if (known !== undefined) {
      known.limit = rateLimit;
      return known;
    }
    if (buckets.size >= MAX_KEPT) forgetIdle();
    const bucket = newBucket(accountId, keyId, rateLimit, nowMs);
    buckets.set(keyId, bucket);
    return bucket;
  }

  function forgetIdle(): void {
    for (const [keyId, { waiting, timer }] of buckets)
      if (waiting.length === 0 && timer === null) buckets.delete(keyId);
  }

  function ask(bucket: Bucket): void {
    due.add(bucket);
    // Requests of the same event loop iteration share one statement.
    asking ??= Promise.resolve().then(askAll);
  }

  async function askAll(): Promise<void> {
    try {
      while (due.size > 0) {
        const asked = [...due].map((bucket) => beginAsking(bucket, lastTripMs <= QUICK_MS));
        due.clear();
        await askFor(asked);
      }
    } finally {
      // Cleared in the same event loop iteration as the last check of `due`, so that no request is missed.
      asking = null;
    }
  }

  async function askFor(asked: readonly Asked[]): Promise<void> {
    // Taken before the statement, so that the lease ends here no later than in the database.
    const sentAtMs = performance.now();
    try {
      const responses = await takeAllowance(
        sql,
        asked.map(({ ask: question }) => question),
        LEASE_MS + RETURN_MS,
      );
      lastTripMs = performance.now() - sentAtMs;
      for (const [index, one] of asked.entries()) settle(one, responses[index], sentAtMs);
    } catch (error) {
      // Requests that queued meanwhile would wait as long for the same error.
      const behind = [...due].flatMap(({ waiting }) => waiting.splice(0));
      due.clear();
      for (const { reject } of [...asked.flatMap(({ waiters }) => waiters), ...behind]) reject(error);
    }
  }

  function settle({ bucket, waiters }: Asked, response: Allowance | undefined, sentAtMs: number): void {
    if (response === undefined) throw new Error('the database did not return a rate limit');
    Object.assign(bucket, { remaining: response.remaining, fullMs: response.fullMs, knownAtMs: sentAtMs });
    bucket.spare = response.spare;
    bucket.leaseEndsMs = sentAtMs + LEASE_MS;
    if (response.spare > 0) wakeIn(bucket, LEASE_MS);
    for (const [index, waiter] of waiters.entries()) {
      if (index < response.granted) waiter.resolve(verdictOf(bucket, waiters.length - 1 - index, sentAtMs));
      else if (response.waitMs > 0) bucket.waiting.push(waiter);
      else waiter.resolve(refusalOf(bucket, response.nextMs));
    }
    if (response.waitMs > 0) wakeIn(bucket, response.waitMs + 1);
  }

  function wakeIn(bucket: Bucket, delayMs: number): void {
    if (bucket.timer !== null) return;
    bucket.timer = setTimeout(() => {
      bucket.timer = null;
      const leftMs = bucket.leaseEndsMs - performance.now();
      if (bucket.waiting.length === 0 && bucket.spare > 0 && leftMs > 0) wakeIn(bucket, leftMs);
      else if (bucket.waiting.length > 0 || bucket.spare > 0) ask(bucket);
    }, delayMs);
  }

  return {
    take(caller) {
      const nowMs = performance.now();
      const bucket = bucketOf(caller, nowMs);
      countRequest(bucket, nowMs);
      if (bucket.spare > 0 && nowMs < bucket.leaseEndsMs) {
        bucket.spare -= 1;
        return verdictOf(bucket, 0, nowMs);
      }
      return new Promise((resolve, reject) => {
        bucket.waiting.push({ resolve, reject });
        // If other requests already wait for returned tokens, this one waits with them.
        if (bucket.waiting.length === 1 || bucket.timer === null) ask(bucket);
      });
    },
    async close() {
      for (const bucket of buckets.values()) {
        if (bucket.timer !== null) clearTimeout(bucket.timer);
        bucket.timer = null;
        if (bucket.spare > 0 || bucket.waiting.length > 0) ask(bucket);
      }
      // Tokens that cannot be returned count as used.
      await asking?.catch(() => {});
      for (const { timer } of buckets.values()) if (timer !== null) clearTimeout(timer);
    },
  };
}

interface Asked {
  readonly bucket: Bucket;
  readonly waiters: readonly Waiter[];
  readonly ask: AllowanceAsk;
}

/** Builds the question for a bucket, with the requests it is for. The same statement returns the bucket's unused tokens. */
function beginAsking(bucket: Bucket, isQuick: boolean): Asked {
  const { accountId, keyId, limit: rateLimit, spare: returned } = bucket;
  const waiters = bucket.waiting.splice(0);
  bucket.spare = 0;
  // Without waiting requests, the bucket only returns tokens.
  const extra = waiters.length === 0 || !isQuick ? 0 : Math.max(0, bucket.count - waiters.length);
  return { bucket, waiters, ask: { accountId, keyId, rateLimit, needed: waiters.length, extra, returned } };
}

function newBucket(accountId: string, keyId: string, limit: number, nowMs: number): Bucket {
  return {
    accountId,
    keyId,
    limit,
    waiting: [],
    spare: 0,
    leaseEndsMs: 0,
    remaining: 0,
    fullMs: 0,
    knownAtMs: nowMs,
    count: 0,
    countedFromMs: nowMs,
    timer: null,
  };
}

/** Counts the requests of about the last lease, as the forecast for the next one. */
function countRequest(bucket: Bucket, nowMs: number): void {
  const sinceMs = nowMs - bucket.countedFromMs;
  if (sinceMs >= LEASE_MS) {
    bucket.count = sinceMs >= 2 * LEASE_MS ? 0 : Math.floor(bucket.count / 2);
    bucket.countedFromMs = nowMs;
  }
  bucket.count += 1;
}

/** @param behind the number of requests that were granted together with this one and follow it */
function verdictOf(bucket: Bucket, behind: number, nowMs: number): RateVerdict {
  const { limit, remaining, spare, fullMs, knownAtMs } = bucket;
  const refilled = ((nowMs - knownAtMs) * limit) / 60_000;
  return {
    ok: true,
    limit,
    remaining: Math.min(limit - 1, Math.floor(remaining + spare + behind + refilled)),
    fullSeconds: Math.ceil(Math.max(0, fullMs - (nowMs - knownAtMs)) / 1_000),
    retryAfterSeconds: 0,
  };
}

function refusalOf({ limit, fullMs }: Bucket, nextMs: number): RateVerdict {
  return {
    ok: false,
    limit,
    remaining: 0,
    fullSeconds: Math.ceil(fullMs / 1_000),
    retryAfterSeconds: Math.max(1, Math.ceil(nextMs / 1_000)),
  };
}
