import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { type ClaimedDelivery, claimDeliveries, releaseDeliveries } from '../db/queries/webhook-deliveries.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { within } from '../within.ts';
import { type Attempt, createAttemptRecorder } from './attempt-recorder.ts';
import { createEndpointQueues, type EndpointQueue, WAITING_MAX } from './endpoint-queues.ts';
import { type AttemptResult, postEvent } from './post-event.ts';
import { createReceiverSight, UNREAD } from './receiver-sight.ts';
import { createReceivers, type Receiver } from './receivers.ts';
import { nextAttemptAt } from './retry-time.ts';
import { signWebhook } from './sign-webhook.ts';

/** Delivers what is due to the endpoints, of all accounts. */
export interface Dispatcher {
  /** Takes what is due until nothing is, or there is no more room; resolves when what there was room for is under way. */
  pump(): Promise<void>;
  /** How full it is at this moment. */
  load(): DispatcherLoad;
  /** Resolves when nothing is under way, and all attempts are written down. For tests. */
  idle(): Promise<void>;
  /** Ends: what is under way gets `drainMs`, and what was not begun is given back. */
  stop(drainMs: number): Promise<void>;
}

export interface DispatcherLoad {
  /** Requests that have not ended. */
  readonly underWay: number;
  /** Taken and not begun. */
  readonly taken: number;
  /** Attempts that are not written down yet. */
  readonly unwritten: number;
}

export interface DispatcherOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly box: SecretBox;
  readonly client: OutboundClient;
  /** In [0, 1). */
  readonly random: () => number;
  readonly onError: (error: unknown, what: string) => void;
  /** Requests under way at once, to all endpoints; those that have stalled come on top of it, as many again at most. */
  readonly maxInFlight?: number;
  /** Told of each attempt when it has ended. */
  readonly onAttempt?: (result: AttemptResult) => void;
}

const MAX_IN_FLIGHT = 1_000;
/** Of these as many as endpoints may have together that are slow, silent or not known yet: hundreds of them leave the others their half. */
const SLOW_SHARE = 0.5;
/** The share of all slots that wide queues may use: the rest is for queues with few under way, so that twenty wide ones leave it to them. */
const WIDE_SHARE = 0.75;
/** Taken in one statement: its fixed cost, planning above all, is shared by its rows. */
const CLAIM_ROWS = 1_000;
/** Room for fewer is left until there is more: else a process that is full would ask for one row after another. */
const CLAIM_ROWS_MIN = 100;
/** Attempts that are not written down; with more, nothing is taken until the database keeps up. */
const UNWRITTEN_MAX = 3_000;
/** A change of an endpoint acts within a second. */
const REFRESH_MS = 500;
const LEASE_MS = 60_000;
/** What was taken and could not be begun by then is left to the end of its lease: an attempt takes 15 seconds at most. */
const BEGIN_WITHIN_MS = 30_000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { sql, clock, ids, client, random, onError, onAttempt, maxInFlight = MAX_IN_FLIGHT } = options;
  const leaseId = randomUUID();
  const recorder = createAttemptRecorder({ sql, clock, ids, leaseId, onError });
  const receivers = createReceivers(sql, options.box, onError);
  const sight = createReceiverSight({ sql, clock }, onError);
  const queues = createEndpointQueues();
  const underWay = new Set<ClaimedDelivery>();
  const maxSlow = Math.ceil(maxInFlight * SLOW_SHARE);
  const maxWide = Math.ceil(maxInFlight * WIDE_SHARE);
  /** Places of requests that have stalled: they end by their timeouts only, and nobody else is to wait for that. */
  let stalled = 0;
  let slowUnderWay = 0;
  let refreshedAtMs = 0;
  let pumping: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let onQuiet: (() => void)[] = [];

  async function load(ids: readonly string[]): Promise<void> {
    for (const id of await receivers.load([...new Set(ids)])) queues.renew(id);
  }

  /** Whoever changes or disables an endpoint means what was taken for it before, too. */
  async function refresh(): Promise<void> {
    if (performance.now() - refreshedAtMs < REFRESH_MS) return;
    refreshedAtMs = performance.now();
    const waiting = queues.waitingIds();
    // Those that are paused, too: a new URL is not to wait for the end of a pause that another one earned.
    await load([...waiting, ...queues.pausedIds(clock.now())]);
    for (const id of waiting) if (receivers.get(id)?.enabled !== true) queues.drop(id);
  }

  function room(): number {
    return Math.min(WAITING_MAX - queues.waitingCount(), UNWRITTEN_MAX - recorder.waiting());
  }

  async function giveBack(left: readonly ClaimedDelivery[]): Promise<void> {
    if (left.length > 0) await releaseDeliveries(sql, leaseId, left);
  }

  async function claim(): Promise<boolean> {
    await refresh();
    const now = clock.now();
    stalled = Math.min(maxInFlight, queues.stalledCount(now));
    if (room() < CLAIM_ROWS) await giveBack(queues.takeStalled(now));
    const limit = Math.min(CLAIM_ROWS, room());
    if (limit < CLAIM_ROWS_MIN) return false;
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    const asked = queues.capacity(now);
    const claimed = await claimDeliveries(sql, { ...asked, now, leaseId, leaseUntil, limit });
    const unknown = claimed.filter(({ endpointId, revision }) => receivers.get(endpointId)?.revision !== revision);
    await load(unknown.map(({ endpointId }) => endpointId));
    for (const delivery of claimed) queues.add(delivery, now);
    const isCutOff = claimed.length === limit;
    queues.recordTaken(asked, claimed, isCutOff);
    return isCutOff;
  }

  async function run(): Promise<void> {
    do {
      again = false;
      try {
        const isMore = await claim();
        beginAll();
        again ||= isMore && underWay.size < places();
      } catch (error) {
        onError(error, 'claiming webhook deliveries');
      }
    } while (again && !stopped);
  }

  function pump(): Promise<void> {
    if (stopped) return Promise.resolve();
    again = true;
    pumping ??= run().finally(() => {
      pumping = null;
      tellQuiet();
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
    if (underWay.size >= places() || (!queue.isBrisk() && slowUnderWay >= maxSlow)) return false;
    // What was brisk long ago may be as silent by now as those that have stalled.
    return queue.isNarrow() || underWay.size < maxWide + (queue.hasJustAnswered(now) ? stalled : 0);
  }

  function startQueue(queue: EndpointQueue, now: Date): void {
    while (!stopped && hasRoomFor(queue, now) && queue.mayBegin(now)) {
      const next = queue.take(now);
      if (next === null) return;
      const receiver = receivers.get(next.delivery.endpointId);
      if (receiver?.enabled !== true || now.getTime() - next.takenAt.getTime() > BEGIN_WITHIN_MS) {
        queue.undoTake();
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
    const isSlow = !queue.isBrisk();
    if (isSlow) slowUnderWay += 1;
    const result = await post(receiver, delivery, startedAt);
    onAttempt?.(result);
    const wasFull = underWay.size >= maxWide + stalled || (isSlow && slowUnderWay === maxSlow);
    if (isSlow) slowUnderWay -= 1;
    // Given back meanwhile, at the end of this process: another one makes the attempt.
    if (!underWay.delete(delivery)) return;
    const now = clock.now();
    recorder.add(toAttempt(delivery, receiver.url, result, startedAt, now, queue.finish(result, now)));
    // Where all the room was taken, others wait for what has just become free, and it is their turn.
    if (wasFull) beginAll();
    startQueue(queue, now);
    if (queue.wantsMore(now)) void pump();
    tellQuiet();
  }

  async function post(receiver: Receiver, delivery: ClaimedDelivery, startedAt: Date): Promise<AttemptResult> {
    const { eventId } = delivery;
    const body = await sight.bodyFor(receiver, delivery);
    if (body === null) return UNREAD;
    const headers = signWebhook({ id: eventId, body, keys: receiver.keysAt(startedAt), now: startedAt });
    return await postEvent(client, { url: receiver.url, body, headers, now: startedAt });
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
    // Field by field: spreading objects into one another costs more than anything else that is done here for an event.
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

  function tellQuiet(): void {
    if (underWay.size > 0 || pumping !== null) return;
    const told = onQuiet;
    onQuiet = [];
    for (const tell of told) tell();
  }

  async function quiet(): Promise<void> {
    while (underWay.size > 0 || pumping !== null) await new Promise<void>((resolve) => onQuiet.push(resolve));
  }

  async function stop(drainMs: number): Promise<void> {
    stopped = true;
    await within(drainMs, quiet());
    const left = [...queues.takeAll(), ...underWay];
    underWay.clear();
    await within(drainMs, recorder.end());
    await within(
      drainMs,
      giveBack(left).catch((error: unknown) => onError(error, 'giving webhook deliveries back')),
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
