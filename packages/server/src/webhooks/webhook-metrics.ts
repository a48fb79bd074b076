import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { readWebhookQueue, type WebhookQueue } from '../db/queries/webhook-queue.ts';
import type { MetricsPage } from '../metrics/start-metrics.ts';
import { timeOfId } from '../uuid-v7.ts';
import type { DispatcherLoad } from './dispatcher.ts';
import type { AttemptResult } from './post-event.ts';

/** The result of one attempt to deliver an event. */
export type ObservedAttempt = Pick<AttemptResult, 'statusCode' | 'durationMs'>;

export interface WebhookMetrics extends MetricsPage {
  /** Only the metrics of this process. */
  renderProcess(): Promise<string>;
  /** The metrics that are the same in every process; only `postrider_database_up` while the database does not respond. */
  renderInstallation(): Promise<string>;
  observe(attempt: ObservedAttempt): void;
}

export interface WebhookMetricsOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  /** Null if this process does not deliver events. */
  readonly load: () => DispatcherLoad | null;
  readonly streamsOpen: () => number;
  /** The number of this process, a label of all its metrics; null, the default, if the server has only one process. */
  readonly process?: number | null;
}

/** The cache time, so that several or constant scrapers do not load the database. */
const FRESH_MS = 5_000;
/** Seconds; an attempt has 15 at most. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** By the class of the response. `none`: there was no response, or the URL was refused. */
const RESULTS = ['2xx', '3xx', '4xx', '5xx', 'none'];

/** The metrics of this process and, while the database responds, of the webhooks of the whole installation. */
export function createWebhookMetrics({
  sql,
  clock,
  load,
  streamsOpen,
  process = null,
}: WebhookMetricsOptions): WebhookMetrics {
  const register = new Registry();
  if (process !== null) register.setDefaultLabels({ process: String(process) });
  collectDefaultMetrics({ register });
  const registers = [register];
  const attempts = new Counter({
    name: 'postrider_webhook_attempts_total',
    help: 'Attempts to deliver an event, by the class of the response; none if there was no response.',
    labelNames: ['result'],
    registers,
  });
  for (const result of RESULTS) attempts.inc({ result }, 0);
  const durations = new Histogram({
    name: 'postrider_webhook_attempt_duration_seconds',
    help: 'How long attempts took, from the first byte to the end of the response.',
    buckets: DURATION_BUCKETS,
    registers,
  });
  const idle: DispatcherLoad = { underWay: 0, taken: 0, unwritten: 0 };
  collected(register, {
    postrider_webhook_in_flight: [
      'Requests to endpoints that this process has in flight.',
      () => (load() ?? idle).underWay,
    ],
    postrider_webhook_taken: [
      'Deliveries that this process has claimed and not started.',
      () => (load() ?? idle).taken,
    ],
    postrider_webhook_attempts_unwritten: [
      'Attempts that this process has not recorded yet.',
      () => (load() ?? idle).unwritten,
    ],
    postrider_webhook_streams_open: ['Event streams that are open to this process.', streamsOpen],
  });
  let read: { readonly atMs: number; readonly queue: Promise<WebhookQueue | null> } | null = null;

  function readQueue(): Promise<WebhookQueue | null> {
    if (read !== null && performance.now() - read.atMs < FRESH_MS) return read.queue;
    read = { atMs: performance.now(), queue: readWebhookQueue(sql, clock.now()).catch(() => null) };
    return read.queue;
  }

  return {
    contentType: register.contentType,
    observe({ statusCode, durationMs }) {
      attempts.inc({ result: statusCode === null ? 'none' : `${Math.floor(statusCode / 100)}xx` });
      durations.observe(durationMs / 1_000);
    },
    async render() {
      return `${await this.renderProcess()}\n${await this.renderInstallation()}`;
    },
    renderProcess: () => register.metrics(),
    async renderInstallation() {
      const queue = await readQueue();
      const installation = queue === null ? new Registry() : describeQueue(queue, clock.now());
      const isUp = { name: 'postrider_database_up', help: '1 if the database responded, else 0.' };
      new Gauge({ ...isUp, registers: [installation] }).set(queue === null ? 0 : 1);
      return await installation.metrics();
    },
  };
}

/** Gauges whose values are read when they are scraped. */
function collected(register: Registry, gauges: Readonly<Record<string, readonly [help: string, read: () => number]>>) {
  for (const [name, [help, read]] of Object.entries(gauges))
    new Gauge({
      ...{ name, help, registers: [register] },
      collect() {
        this.set(read());
      },
    });
}

/** A registry for one scrape: if the database is unavailable, these metrics are missing, not zero. */
function describeQueue(queue: WebhookQueue, now: Date): Registry {
  const register = new Registry();
  const ageOf = (at: Date | null) => (at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1_000));
  const oldestEventAt = queue.oldestEventId === null ? null : timeOfId(queue.oldestEventId);
  const { working, failing, manual, gone, failed } = queue.endpoints;
  collected(register, {
    postrider_webhook_backlog: ['Events of messages that are not stored yet.', () => queue.backlog],
    postrider_webhook_oldest_due_seconds: [
      'How long the oldest due delivery has been due, for endpoints that do not fail.',
      () => ageOf(queue.oldestDueAt),
    ],
    postrider_webhook_oldest_event_seconds: [
      'The age of the oldest event that is not stored or not delivered yet, including retries and replays.',
      () => Math.max(ageOf(queue.oldestBacklogAt), ageOf(oldestEventAt)),
    ],
  });
  const registers = [register];
  const deliveries = new Gauge({
    name: 'postrider_webhook_deliveries',
    help: 'Waiting deliveries: due now (including those in flight), or waiting for their next attempt.',
    labelNames: ['state'],
    registers,
  });
  deliveries.set({ state: 'due' }, queue.due);
  deliveries.set({ state: 'retrying' }, queue.waiting - queue.due);
  const endpoints = new Gauge({
    name: 'postrider_webhook_endpoints',
    help: 'Endpoints: enabled ones that work or fail, and disabled ones by reason.',
    labelNames: ['status'],
    registers,
  });
  const counts = { working, failing, disabled_manual: manual, disabled_gone: gone, disabled_failing: failed };
  for (const [status, count] of Object.entries(counts)) endpoints.set({ status }, count);
  return register;
}
