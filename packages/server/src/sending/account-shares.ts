import { LIMITS } from '@postrider/core';
import { ProblemError } from '../problem.ts';
import type { QueueSize } from './fair-queue.ts';

/**
 * Decides which sends are validated and prepared next, so that an account with many requests at a time delays the others little. Every
 * message counts, so a batch of 100 counts as 100 single sends.
 *
 * While several accounts send, an account starts as many messages as the average of them, and a few more. That is its share. An account that
 * is further ahead waits, its requests in order, until fewer than `FREE` messages are in progress, or fewer than `FEW` for a large batch.
 * What started within shares counts with its recent peak. Waiting costs only memory.
 */
export interface AccountShares {
  /**
   * Returns a function to call at the end of the request, as soon as the request may start: at once, unless it must wait.
   * @param messages how many the request has
   * @param bytesOf the size of the request; only read if it waits
   * @throws ProblemError if too much is waiting, or this request waited for `LONGEST_MS`
   */
  start(account: string, messages: number, bytesOf: () => number): (() => void) | Promise<() => void>;
  /** Fails all requests that wait: the database does not respond, so each would wait for its own time limit. */
  failWaiting(error: unknown): void;
}

export interface AccountSharesOptions {
  /** How much may wait. An account may use half of what is free. */
  readonly room: QueueSize;
  readonly nowMs?: () => number;
}

/** An account counts for this long after its last request, because its clients will soon send again. */
const ACTIVE_MS = 100;
/** A request that takes longer waits for something outside, such as a file, and uses no processor meanwhile. */
const BUSY_MS = 250;
/** How far an account may be ahead of the average within its share, so that its clients may send at the same moment. */
const AHEAD = 64;
/** An account that pauses keeps its lead for this long, so that it cannot send more than its share by sending in bursts. */
const LEAD_MS = 1_000;
/** The messages in progress that keep the server busy. With fewer, an account beyond its share may start more. */
const FREE = 32;
/** The same for an account that is alone: more than a full statement, because statements grow while no one else waits. */
const FREE_ALONE = 128;
/**
 * The messages that started within shares count with their highest number of the last one or two such periods. Clients that get their
 * responses together send again within this time, and what had started meanwhile would delay them.
 */
const LATELY_MS = 3;
/** Batches of an account that is alone: two that are written, and one that is prepared meanwhile. */
const REQUESTS_ALONE = 3;
/** With fewer messages in progress, a request starts however many messages it has. */
const FEW = 8;
/** Without a request that ends, waiting ones are looked at this often. */
const LOOK_EVERY_MS = 50;
/** Beside other accounts, a request starts after this long if its account starts less than `LEAST_RATE`: it might never find room. */
const LONG_MS = 250;
/** Messages a second, of each account that waits. */
const LEAST_RATE = 400;
/** A request that would wait for longer is refused: its client may have stopped waiting. */
const LONGEST_MS = 10_000;

const TOO_MANY = 'Too many sends are waiting. Nothing was accepted.';

/** Whether a request starts within its account's share, or because the others leave room. */
type Place = 'within' | 'beyond';

interface Waiting {
  readonly messages: number;
  readonly bytes: number;
  readonly sinceMs: number;
  readonly run: (place: Place) => void;
  readonly fail: (error: unknown) => void;
}

interface Account {
  readonly waiting: Waiting[];
  bytes: number;
  messages: number;
  /** The messages that it has started, on the same scale as `average`. */
  started: number;
  activeAtMs: number;
  /** When it may start the next request at `LEAST_RATE`. */
  dueAtMs: number;
}

interface Started {
  readonly messages: number;
  readonly place: Place;
  readonly sinceMs: number;
  isCounted: boolean;
}

function newAccount(started: number, now: number): Account {
  return { waiting: [], bytes: 0, messages: 0, started, activeAtMs: now, dueAtMs: 0 };
}

export function createAccountShares({ room, nowMs = () => performance.now() }: AccountSharesOptions): AccountShares {
  /** The active accounts, in the order of their last request. */
  const accounts = new Map<string, Account>();
  /** What accounts that are no longer active have started, in the order in which that is forgotten. */
  const paused = new Map<string, { readonly started: number; readonly untilMs: number }>();
  /** In the order in which they started. */
  const inProgress = new Set<Started>();
  const waiting = { messages: 0, bytes: 0 };
  /** The messages in progress. */
  const counted = { within: 0, beyond: 0 };
  /** The highest number of messages in progress within their shares, in this period of `LATELY_MS` and the one before. */
  const peak = { now: 0, before: 0, sinceMs: 0 };
  /** The messages that an account has started on average. */
  let average = 0;
  /** The delays for which a timer runs. */
  const timers = new Set<number>();

  function touch(name: string, now: number): Account {
    const account = accounts.get(name) ?? newAccount(paused.get(name)?.started ?? average, now);
    paused.delete(name);
    account.activeAtMs = now;
    account.started = Math.max(account.started, average);
    accounts.delete(name);
    accounts.set(name, account);
    return account;
  }

  function count(place: Place, messages: number, now: number): void {
    readPeak(now);
    counted[place] += messages;
    peak.now = Math.max(peak.now, counted.within);
  }

  function uncount(request: Started, now: number): void {
    inProgress.delete(request);
    if (request.isCounted) count(request.place, -request.messages, now);
    request.isCounted = false;
  }

  function readPeak(now: number): number {
    const periods = Math.floor((now - peak.sinceMs) / LATELY_MS);
    if (periods > 0) {
      peak.before = periods === 1 ? peak.now : counted.within;
      peak.now = counted.within;
      peak.sinceMs += periods * LATELY_MS;
    }
    return Math.max(peak.now, peak.before);
  }

  /** Forgets what is no longer active. */
  function expire(now: number): void {
    for (const request of inProgress) {
      if (now - request.sinceMs < BUSY_MS) break;
      uncount(request, now);
    }
    for (const [name, { untilMs }] of paused) {
      if (now < untilMs) break;
      paused.delete(name);
    }
    for (const [name, { activeAtMs, waiting, started }] of accounts) {
      if (now - activeAtMs < ACTIVE_MS) break;
      if (waiting.length > 0) touch(name, now);
      else {
        accounts.delete(name);
        if (started > average) paused.set(name, { started, untilMs: now + LEAD_MS });
      }
    }
  }

  /** The place of a request that may start now; null if it waits. */
  function placeOf({ started }: Account, messages: number, now: number): Place | null {
    if (accounts.size === 1) {
      const all = counted.within + counted.beyond;
      return all < FEW || all + messages <= FREE_ALONE || inProgress.size < REQUESTS_ALONE ? 'within' : null;
    }
    if (started <= average + AHEAD) return 'within';
    const busy = readPeak(now) + counted.beyond;
    return busy < FEW || busy + messages <= FREE ? 'beyond' : null;
  }

  function begin(name: string, account: Account, messages: number, place: Place, now: number): () => void {
    const request = { messages, place, sinceMs: now, isCounted: true };
    account.started += messages;
    account.dueAtMs = Math.max(account.dueAtMs, now - LOOK_EVERY_MS) + (messages * 1_000) / LEAST_RATE;
    average += messages / accounts.size;
    count(place, messages, now);
    inProgress.add(request);
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      const endedAtMs = nowMs();
      uncount(request, endedAtMs);
      touch(name, endedAtMs);
      if (waiting.messages > 0) startWaiting(endedAtMs);
    };
  }

  function startWaiting(now: number): void {
    expire(now);
    while (startLeast(now));
    if (waiting.messages === 0) return;
    runAfter(LOOK_EVERY_MS, look);
    if (readPeak(now) > counted.within) runAfter(LATELY_MS, startWaiting);
  }

  function runAfter(delayMs: number, run: (now: number) => void): void {
    if (timers.has(delayMs)) return;
    timers.add(delayMs);
    setTimeout(() => {
      timers.delete(delayMs);
      run(nowMs());
    }, delayMs).unref();
  }

  /** Also starts or refuses what has waited for long. */
  function look(now: number): void {
    expire(now);
    let messages = 0;
    // A request that starts moves its account to the end, so those that started nothing for longest come first.
    for (const account of [...accounts.values()]) {
      let [first] = account.waiting;
      while (first !== undefined && now - first.sinceMs >= LONGEST_MS) {
        take(account)?.fail(new ProblemError('unavailable', { detail: TOO_MANY }));
        [first] = account.waiting;
      }
      while (messages < LIMITS.emailsPerBatch && first !== undefined && isDue(account, first, now)) {
        messages += first.messages;
        take(account)?.run('beyond');
        [first] = account.waiting;
      }
    }
    startWaiting(now);
  }

  function isDue({ dueAtMs }: Account, { sinceMs }: Waiting, now: number): boolean {
    return accounts.size > 1 && now - sinceMs >= LONG_MS && now >= dueAtMs;
  }

  /** Removes the first request that waits. */
  function take(account: Account): Waiting | null {
    const first = account.waiting.shift();
    if (first === undefined) return null;
    account.messages -= first.messages;
    account.bytes -= first.bytes;
    waiting.messages -= first.messages;
    waiting.bytes -= first.bytes;
    return first;
  }

  /** Starts the first request of the account that has started least, of those that may start one. */
  function startLeast(now: number): boolean {
    let least: Account | null = null;
    let place: Place = 'within';
    for (const account of accounts.values()) {
      const [first] = account.waiting;
      if (first === undefined || (least !== null && account.started >= least.started)) continue;
      const own = placeOf(account, first.messages, now);
      if (own === null) continue;
      least = account;
      place = own;
    }
    if (least === null) return false;
    take(least)?.run(place);
    return true;
  }

  function assertRoom(account: Account, bytes: number): void {
    const fits =
      account.messages < (room.items - waiting.messages) / 2 && account.bytes < (room.bytes - waiting.bytes) / 2;
    if (fits && (waiting.bytes === 0 || waiting.bytes + bytes <= room.bytes)) return;
    throw new ProblemError('unavailable', { detail: TOO_MANY });
  }

  return {
    failWaiting: (error) => {
      for (const account of accounts.values()) {
        for (let next = take(account); next !== null; next = take(account)) next.fail(error);
      }
    },
    start: (name, messages, bytesOf) => {
      const now = nowMs();
      expire(now);
      const account = touch(name, now);
      const place = account.waiting.length === 0 ? placeOf(account, messages, now) : null;
      if (place !== null) return begin(name, account, messages, place, now);
      const bytes = bytesOf();
      assertRoom(account, bytes);
      return new Promise((resolve, reject) => {
        account.waiting.push({
          messages,
          bytes,
          sinceMs: now,
          fail: reject,
          run: (granted) => {
            const startedAtMs = nowMs();
            resolve(begin(name, touch(name, startedAtMs), messages, granted, startedAtMs));
          },
        });
        account.messages += messages;
        account.bytes += bytes;
        waiting.messages += messages;
        waiting.bytes += bytes;
        startWaiting(now);
      });
    },
  };
}
