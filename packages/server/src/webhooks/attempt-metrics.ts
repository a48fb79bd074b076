import type { MetricFamily } from '../metrics/exposition.ts';
import { createHistogram } from '../metrics/histogram.ts';
import type { AttemptResult } from './post-event.ts';

/** What this process has seen of attempts to deliver, since its start. */
export interface AttemptMetrics {
  observe(result: Pick<AttemptResult, 'statusCode' | 'durationMs'>): void;
  families(): readonly MetricFamily[];
}

/** Seconds; an attempt has 15 at most. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** By the class of the answer. `none`: nobody answered, or the URL was refused. */
const RESULTS = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

export function createAttemptMetrics(): AttemptMetrics {
  const counts = new Map<string, number>(RESULTS.map((result) => [result, 0]));
  const durations = createHistogram(BOUNDS);

  return {
    observe({ statusCode, durationMs }) {
      const result = statusCode === null ? 'none' : `${Math.floor(statusCode / 100)}xx`;
      counts.set(result, (counts.get(result) ?? 0) + 1);
      durations.observe(durationMs / 1_000);
    },
    families: () => [
      {
        ...{ name: 'postrider_webhook_attempts_total', type: 'counter' },
        help: 'Attempts to deliver an event, by the class of the answer; none where nobody answered.',
        samples: [...counts].map(([result, value]) => ({ labels: { result }, value })),
      },
      {
        ...{ name: 'postrider_webhook_attempt_duration_seconds', type: 'histogram' },
        help: 'How long attempts took, from the first byte to the end of the answer.',
        samples: durations.samples(),
      },
    ],
  };
}
