import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { readWebhookQueue, type WebhookQueue } from '../db/queries/webhook-queue.ts';
import { gauge, type MetricFamily } from '../metrics/exposition.ts';
import { timeOfId } from '../uuid-v7.ts';
import type { AttemptMetrics } from './attempt-metrics.ts';
import type { DispatcherLoad } from './dispatcher.ts';

/** Several that scrape, or one that does so all the time, cost the database no more than this allows. */
const FRESH_MS = 5_000;

export interface WebhookMetricsOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly attempts: AttemptMetrics;
  /** Null where this process delivers nothing. */
  readonly load: () => DispatcherLoad | null;
  readonly streamsOpen: () => number;
}

/** Answers the figures of webhooks: of this process, and where the database answers of the installation. Never rejects. */
export function createWebhookMetrics(options: WebhookMetricsOptions): () => Promise<readonly MetricFamily[]> {
  const { sql, clock, attempts, load, streamsOpen } = options;
  let read: { readonly atMs: number; readonly queue: Promise<WebhookQueue | null> } | null = null;

  function readQueue(): Promise<WebhookQueue | null> {
    if (read !== null && performance.now() - read.atMs < FRESH_MS) return read.queue;
    read = { atMs: performance.now(), queue: readWebhookQueue(sql, clock.now()).catch(() => null) };
    return read.queue;
  }

  return async () => {
    const queue = await readQueue();
    return [
      ...attempts.families(),
      ...describeLoad(load() ?? { underWay: 0, taken: 0, unwritten: 0 }),
      gauge('postrider_webhook_streams_open', 'Streams of events that are open to this process.', streamsOpen()),
      gauge('postrider_database_up', '1 where the database answered, else 0.', queue === null ? 0 : 1),
      ...(queue === null ? [] : describeQueue(queue, clock.now())),
    ];
  };
}

function describeLoad({ underWay, taken, unwritten }: DispatcherLoad): readonly MetricFamily[] {
  return [
    gauge('postrider_webhook_in_flight', 'Requests to endpoints that this process has under way.', underWay),
    gauge('postrider_webhook_taken', 'Deliveries that this process has taken and not begun.', taken),
    gauge('postrider_webhook_attempts_unwritten', 'Attempts that this process has not written down yet.', unwritten),
  ];
}

function describeQueue(queue: WebhookQueue, now: Date): readonly MetricFamily[] {
  const ageOf = (at: Date | null) => (at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1_000));
  const { oldestEventId } = queue;
  const { working, failing, manual, gone, failed } = queue.endpoints;
  const endpoints = { working, failing, disabled_manual: manual, disabled_gone: gone, disabled_failing: failed };
  return [
    gauge('postrider_webhook_backlog', 'Events of messages that are not stored yet.', queue.backlog),
    {
      ...{ name: 'postrider_webhook_deliveries', type: 'gauge' },
      help: 'Deliveries that wait: due now, under way included, or for their next attempt.',
      samples: [
        { labels: { state: 'due' }, value: queue.due },
        { labels: { state: 'retrying' }, value: queue.waiting - queue.due },
      ],
    },
    gauge(
      'postrider_webhook_oldest_due_seconds',
      'For how long the delivery has been due that waits longest, of endpoints that do not fail.',
      ageOf(queue.oldestDueAt),
    ),
    gauge(
      'postrider_webhook_oldest_event_seconds',
      'The age of the oldest event that is not stored yet or waits to be delivered, retries and replays included.',
      Math.max(ageOf(queue.oldestBacklogAt), ageOf(oldestEventId === null ? null : timeOfId(oldestEventId))),
    ),
    {
      ...{ name: 'postrider_webhook_endpoints', type: 'gauge' },
      help: 'Endpoints: enabled ones that work or fail, and disabled ones by why they are.',
      samples: Object.entries(endpoints).map(([status, value]) => ({ labels: { status }, value })),
    },
  ];
}
