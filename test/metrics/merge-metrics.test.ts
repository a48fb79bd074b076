import { expect, it } from 'vitest';
import { mergeMetrics } from '../../packages/server/src/metrics/merge-metrics.ts';

const page = (process: number) => `# HELP sends_total Sends.
# TYPE sends_total counter
sends_total{process="${process}"} ${process * 10}

# HELP open Open.
# TYPE open gauge
open{process="${process}"} ${process}
`;

it('describes each metric once, with the samples of all pages together', () => {
  expect(mergeMetrics([page(1), '', page(2), '# TYPE up gauge\nup 1\n'])).toBe(`# HELP sends_total Sends.
# TYPE sends_total counter
sends_total{process="1"} 10
sends_total{process="2"} 20

# HELP open Open.
# TYPE open gauge
open{process="1"} 1
open{process="2"} 2

# TYPE up gauge
up 1
`);
});
