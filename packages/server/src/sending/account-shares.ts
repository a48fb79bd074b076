import { ProblemError } from '../problem.ts';
import type { QueueSize } from './fair-queue.ts';

/**
 * Decides which sends are validated and prepared next, so that an account with many requests at a time delays the others little. Every
 * message counts, so a batch of 100 counts as 100 single sends.
 *
 * While several accounts send, an account starts as many messages as the average of them, and a few more. An account that is further ahead
 * waits, its requests in order, until there is room: less than `FREE` in progress, or less than `FEW` for a batch. Waiting costs only memory.
 */
export interface AccountShares {
  /**
   * Resolves when the request may start, with a function to call at its end.
   * @param messages how many the request has
   * @param bytesOf the size of the request; only read if it waits
   * @throws ProblemError if too much is waiting
   */
  start(account: string, messages: number, bytesOf: () => number): Promise<() => void>;
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
/** How far an account may be ahead of the average, so that its clients may send at the same moment. */
const AHEAD = 32;
/** The messages in progress that keep the server busy. Below this number, no account waits. */
const FREE = 32;
/** The same for an account that is alone: more than a full statement, because statements grow while no one else waits. */
const FREE_ALONE = 128;
/** Batches of an account that is alone: two that are written, and one that is prepared meanwhile. */
const REQUESTS_ALONE = 3;
/** With fewer messages in progress, a request starts however many messages it has. */
const FEW = 8;
/** Without a request that ends, waiting ones are looked at this often. */
const LOOK_EVERY_MS = 50;
/** Beside other accounts, the first request of an account starts after this long: a large batch might never find room among their sends. */
const LONGEST_MS = 250;

interface Waiting {
  readonly messages: number;
  readonly bytes: number;
  readonly sinceMs: number;
  readonly run: () => void;
  readonly fail: (error: unknown) => void;
}

interface Account {
  readonly waiting: Waiting[];
  bytes: number;
  messages: number;
  /** The messages that it has started, on the same scale as `average`. */
  started: number;
  activeAtMs: number;
}

interface Started {
  readonly messages: number;
  readonly sinceMs: number;
  isCounted: boolean;
}

export function createAccountShares({ room, nowMs = () => performance.now() }: AccountSharesOptions): AccountShares {
  /** The active accounts, in the order of their last request. */
  const accounts = new Map<string, Account>();
  /** In the order in which they started. */
  const inProgress = new Set<Started>();
  const waiting = { messages: 0, bytes: 0 };
  let counted = 0;
  /** The messages that an account has started on average. */
  let average = 0;
  let timer: NodeJS.Timeout | null = null;

  function touch(name: string, now: number): Account {
    const account = accounts.get(name) ?? { waiting: [], bytes: 0, messages: 0, started: average, activeAtMs: now };
    account.activeAtMs = now;
    account.started = Math.max(account.started, average);
    accounts.delete(name);
    accounts.set(name, account);
    return account;
  }

  function uncount(request: Started): void {
    inProgress.delete(request);
    if (request.isCounted) counted -= request.messages;
    request.isCounted = false;
  }

  /** Forgets what is no longer active. */
  function expire(now: number): void {
    for (const request of inProgress) {
      if (now - request.sinceMs < BUSY_MS) break;
      uncount(request);
    }
    for (const [name, { activeAtMs, waiting }] of accounts) {
      if (now - activeAtMs < ACTIVE_MS) break;
      if (waiting.length > 0) touch(name, now);
      else accounts.delete(name);
    }
  }

  function mayStart({ started }: Account, messages: number): boolean {
    const isAlone = accounts.size === 1;
    if (counted < FEW || counted + messages <= (isAlone ? FREE_ALONE : FREE)) return true;
    return isAlone ? inProgress.size < REQUESTS_ALONE : started <= average + AHEAD;
  }

  function begin(name: string, account: Account, messages: number, now: number): () => void {
    const request = { messages, sinceMs: now, isCounted: true };
    account.started += messages;
    average += messages / accounts.size;
    counted += messages;
    inProgress.add(request);
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      uncount(request);
      const endedAtMs = nowMs();
      touch(name, endedAtMs);
      if (waiting.messages > 0) startWaiting(endedAtMs);
    };
  }

  function startWaiting(now: number): void {
    expire(now);
    for (;;) {
      const next = nextWaiting();
      if (next === null) break;
      next();
    }
    if (waiting.messages > 0 && timer === null) {
      timer = setTimeout(() => {
        timer = null;
        look(nowMs());
      }, LOOK_EVERY_MS).unref();
    }
  }

  /** Also starts what has waited for long. */
  function look(now: number): void {
    expire(now);
    // A request that starts moves its account to the end.
    for (const account of [...accounts.values()]) {
      const [first] = account.waiting;
      if (accounts.size > 1 && first !== undefined && now - first.sinceMs >= LONGEST_MS) take(account)?.run();
    }
    startWaiting(now);
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

  /** The first request of the account that has started least, if it may start. */
  function nextWaiting(): (() => void) | null {
    let least: Account | null = null;
    for (const account of accounts.values()) {
      const [first] = account.waiting;
      if (first === undefined || (least !== null && account.started >= least.started)) continue;
      if (mayStart(account, first.messages)) least = account;
    }
    return least === null ? null : (take(least)?.run ?? null);
  }

  function assertRoom(account: Account, bytes: number): void {
    const fits =
      account.messages < (room.items - waiting.messages) / 2 && account.bytes < (room.bytes - waiting.bytes) / 2;
    if (fits && (waiting.bytes === 0 || waiting.bytes + bytes <= room.bytes)) return;
    throw new ProblemError('unavailable', { detail: 'Too many sends are waiting. Nothing was accepted.' });
  }

  return {
    failWaiting: (error) => {
      for (const account of accounts.values()) {
        for (let next = take(account); next !== null; next = take(account)) next.fail(error);
      }
    },
    start: async (name, messages, bytesOf) => {
      const now = nowMs();
      expire(now);
      const account = touch(name, now);
      if (account.waiting.length === 0 && mayStart(account, messages)) return begin(name, account, messages, now);
      const bytes = bytesOf();
      assertRoom(account, bytes);
      return await new Promise((resolve, reject) => {
        account.waiting.push({
          messages,
          bytes,
          sinceMs: now,
          fail: reject,
          run: () => {
            const startedAtMs = nowMs();
            resolve(begin(name, touch(name, startedAtMs), messages, startedAtMs));
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
