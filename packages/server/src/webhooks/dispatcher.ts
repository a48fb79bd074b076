import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { type ClaimedDelivery, claimDeliveries, releaseDeliveries } from '../db/queries/webhook-deliveries.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { whenKnown } from '../when-known.ts';
import { within } from '../within.ts';
import { type Attempt, createAttemptRecorder } from './attempt-recorder.ts';
import { createEndpointQueues, type EndpointQueue, WAITING_MAX } from './endpoint-queues.ts';
import { type AttemptResult, postEvent } from './post-event.ts';
import { createReceiverVisibility, UNREAD } from './receiver-visibility.ts';
import { createReceivers, type Receiver } from './receivers.ts';
import { nextAttemptAt } from './retry-time.ts';
import { signWebhook } from './sign-webhook.ts';

/** Delivers due events to the endpoints of all accounts. */
export interface Dispatcher {
  /** Claims due deliveries until none are left or the capacity is used. Resolves when everything that fits has been started. */
  pump(): Promise<void>;
  /** The current load. */
  load(): DispatcherLoad;
  /** Resolves when nothing is in progress and all attempts are logged. For tests. */
  idle(): Promise<void>;
  /** Shuts down: requests in progress get `drainMs`, and deliveries that were not started are given back. */
  stop(drainMs: number): Promise<void>;
}

export interface DispatcherLoad {
  /** Requests in progress. */
  readonly underWay: number;
  /** Claimed and not started. */
  readonly taken: number;
  /** Attempts that are not logged yet. */
  readonly unwritten: number;
}

export interface DispatcherOptions {
  readonly sql: Sql;
  /** For the frequent statements, those that claim and that record: a pool that keeps their plans. */
  readonly queueSql: Sql;
  /** Plans the statements of `queueSql` for the tables' current sizes, if that is due. */
  readonly renewPlans: () => Promise<void>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly box: SecretBox;
  readonly client: OutboundClient;
  /** In [0, 1). */
  readonly random: () => number;
  readonly onError: (error: unknown, what: string) => void;
  /** Concurrent requests to all endpoints. Stalled requests are extra, at most as many again. */
  readonly maxInFlight?: number;
  /** Called after each attempt. */
  readonly onAttempt?: (result: AttemptResult) => void;
}

const MAX_IN_FLIGHT = 1_000;
/** The share for endpoints that are slow, silent or unknown, together: even hundreds of them leave half to the others. */
const SLOW_SHARE = 0.5;
/** The share of all slots that wide queues may use: the rest is for queues with few under way, so that twenty wide ones leave it to them. */
const WIDE_SHARE = 0.75;
/** Deliveries per claim: its rows share its fixed cost. */
const CLAIM_ROWS = 1_000;
/** With less free capacity, wait until there is more: otherwise a full process would claim one row at a time. */
const CLAIM_ROWS_MIN = 100;
/** Unlogged attempts. With more, nothing is claimed until the database catches up. */
const UNWRITTEN_MAX = 3_000;
/** A change to an endpoint takes effect within a second. */
const REFRESH_MS = 500;
const LEASE_MS = 60_000;
/** Claimed deliveries that could not be started by then keep their lease until it ends. An attempt takes 15 seconds at most. */
const BEGIN_WITHIN_MS = 30_000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { sql, clock, ids, client, random, onError, onAttempt, maxInFlight = MAX_IN_FLIGHT } = options;
  const { queueSql, renewPlans } = options;
  const leaseId = randomUUID();
  const recorder = createAttemptRecorder({ sql, queueSql, clock, ids, leaseId, onError });
  const receivers = createReceivers(sql, options.box, onError);
  const visibility = createReceiverVisibility({ sql, clock }, onError);
  const queues = createEndpointQueues();
  const underWay = new Set<ClaimedDelivery>();
  const maxSlow = Math.ceil(maxInFlight * SLOW_SHARE);
  const maxWide = Math.ceil(maxInFlight * WIDE_SHARE);
  /** Slots of stalled requests: these end only by their timeouts, and others must not wait for that. */
  let stalled = 0;
  let slowUnderWay = 0;
  let refreshedAtMs = 0;
  let pumping: Promise<void> | null = null;
  let again = false;
  /** Queues that wanted more while a claim was in progress. It may have given it to them. */
  const wanting = new Set<EndpointQueue>();
  let stopped = false;
  let onQuiet: (() => void)[] = [];

  async function load(ids: readonly string[]): Promise<void> {
    for (const id of await receivers.load([...new Set(ids)])) queues.renew(id);
  }

  /** A change to an endpoint also applies to deliveries that were claimed before it. */
  async function refresh(): Promise<void> {
    if (performance.now() - refreshedAtMs < REFRESH_MS) return;
    refreshedAtMs = performance.now();
    const waiting = queues.waitingIds();
    // Paused ones too: a new URL must not wait for the end of a pause that the old one caused.
    await load([...waiting, ...queues.pausedIds(clock.now())]);
    for (const id of waiting) if (receivers.get(id)?.enabled !== true) queues.drop(id);
  }

  function room(): number {
    return Math.min(WAITING_MAX - queues.waitingCount(), UNWRITTEN_MAX - recorder.waiting());
  }

  async function release(left: readonly ClaimedDelivery[]): Promise<void> {
    if (left.length > 0) await releaseDeliveries(sql, leaseId, left);
  }

  async function claim(): Promise<boolean> {
    await renewPlans();
    await refresh();
    const now = clock.now();
    stalled = Math.min(maxInFlight, queues.stalledCount(now));
    if (room() < CLAIM_ROWS) await release(queues.removeStalled(now));
    const limit = Math.min(CLAIM_ROWS, room());
    if (limit < CLAIM_ROWS_MIN) return false;
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    const asked = queues.capacity(now);
    // What is claimed from now on would keep its lease.
    if (stopped) return false;
    const claimed = await claimDeliveries(queueSql, { ...asked, now, leaseId, leaseUntil, limit });
    const unknown = claimed.filter(({ endpointId, revision }) => receivers.get(endpointId)?.revision !== revision);
    await load(unknown.map(({ endpointId }) => endpointId));
    for (const delivery of claimed) queues.add(delivery, now);
    const isCutOff = claimed.length === limit;
    queues.recordClaimed(asked, claimed, isCutOff);
    return isCutOff;
  }

  async function run(): Promise<void> {
    do {
      again = false;
      wanting.clear();
      try {
        const isMore = await claim();
        beginAll();
        again ||= (isMore && underWay.size < places()) || isMoreWanted();
      } catch (error) {
        onError(error, 'claiming webhook deliveries');
      }
    } while (again && !stopped);
  }

  function isMoreWanted(): boolean {
    const now = clock.now();
    return [...wanting].some((queue) => queue.wantsMore(now));
  }

  function pump(): Promise<void> {
    if (stopped) return Promise.resolve();
    again = true;
    pumping ??= run().finally(() => {
      pumping = null;
      notifyQuiet();
    });
    return pumping;
  }

  function beginAll(): void {
    for (const queue of queues.roundRobin()) {
      if (underWay.size >= places()) return;
      startQueue(queue, clock.now());
    }
  }

  function places(): number {
    return maxInFlight + stalled;
  }

  function hasRoomFor(queue: EndpointQueue, now: Date): boolean {
    if (underWay.size >= places() || (!queue.isFast() && slowUnderWay >= maxSlow)) return false;
    // An endpoint that was fast long ago may by now be as silent as those that have stalled.
    return queue.isNarrow() || underWay.size < maxWide + (queue.hasJustResponded(now) ? stalled : 0);
  }

  function startQueue(queue: EndpointQueue, now: Date): void {
    while (!stopped && hasRoomFor(queue, now) && queue.mayBegin(now)) {
      const next = queue.take(now);
      if (next === null) return;
      const receiver = receivers.get(next.delivery.endpointId);
      if (receiver?.enabled !== true || now.getTime() - next.claimedAt.getTime() > BEGIN_WITHIN_MS) {
        queue.putBack();
        continue;
      }
      underWay.add(next.delivery);
      void deliver(queue, receiver, next.delivery, now);
    }
  }

  async function deliver(
    queue: EndpointQueue,
    receiver: Receiver,
    delivery: ClaimedDelivery,
    startedAt: Date,
  ): Promise<void> {
    const isSlow = !queue.isFast();
    if (isSlow) slowUnderWay += 1;
    const result = await post(receiver, delivery, startedAt);
    onAttempt?.(result);
    const wasFull = underWay.size >= maxWide + stalled || (isSlow && slowUnderWay === maxSlow);
    if (isSlow) slowUnderWay -= 1;
    // Given back in the meantime by a shutdown: another process makes the attempt.
    if (!underWay.delete(delivery)) return;
    const now = clock.now();
    recorder.add(toAttempt(delivery, receiver.url, result, startedAt, now, queue.finish(result, now)));
    // If all capacity was used, others are waiting for what has just become free, and are next.
    if (wasFull) beginAll();
    startQueue(queue, now);
    if (queue.wantsMore(now)) {
      if (pumping === null) void pump();
      else wanting.add(queue);
    }
    notifyQuiet();
  }

  function post(
    receiver: Receiver,
    delivery: ClaimedDelivery,
    startedAt: Date,
  ): AttemptResult | Promise<AttemptResult> {
    return whenKnown(visibility.bodyFor(receiver, delivery), (body) => {
      if (body === null) return UNREAD;
      const headers = signWebhook({
        ...{ id: delivery.eventId, body, keys: receiver.keysAt(startedAt), now: startedAt },
      });
      return postEvent(client, { url: receiver.url, body, headers, now: startedAt });
    });
  }

  function toAttempt(
    delivery: ClaimedDelivery,
    url: string,
    result: AttemptResult,
    startedAt: Date,
    now: Date,
    wasFailing: boolean,
  ): Attempt {
    const { step } = delivery;
    const { succeeded, retryAfterMs } = result;
    const next = succeeded ? null : nextAttemptAt({ step: step + 1, retryAfterMs }, now, random());
    // Field by field: object spread would cost more than all other work per event.
    return {
      accountId: delivery.accountId,
      endpointId: delivery.endpointId,
      eventId: delivery.eventId,
      eventType: delivery.eventType,
      attempt: delivery.attempt,
      place: delivery.place,
      succeeded,
      statusCode: result.statusCode,
      error: result.error,
      durationMs: result.durationMs,
      responseBody: result.responseBody,
      id: ids.next(startedAt),
      createdAt: startedAt,
      nextAttemptAt: next,
      nextId: next === null ? null : ids.next(now),
      wasFailing,
      url,
    };
  }

  function notifyQuiet(): void {
    if (underWay.size > 0 || pumping !== null) return;
    const waiting = onQuiet;
    onQuiet = [];
    for (const resolve of waiting) resolve();
  }

  async function quiet(): Promise<void> {
    while (underWay.size > 0 || pumping !== null) await new Promise<void>((resolve) => onQuiet.push(resolve));
  }

  async function stop(drainMs: number): Promise<void> {
    stopped = true;
    await within(drainMs, quiet());
    const left = [...queues.removeAll(), ...underWay];
    underWay.clear();
    await within(drainMs, recorder.end());
    await within(
      drainMs,
      release(left).catch((error: unknown) => onError(error, 'releasing webhook deliveries')),
    );
  }

  return {
    pump,
    load: () => ({ underWay: underWay.size, taken: queues.waitingCount(), unwritten: recorder.waiting() }),
    async idle() {
      await quiet();
      await recorder.settle();
    },
    stop,
  };
}
