import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One benchmark of a run of all. */
export interface PlannedBench {
  readonly name: string;
  /** What it measures, as a heading. */
  readonly title: string;
  /** The arguments of the short form. */
  readonly short: readonly string[];
  /** The arguments of the full form: none means the defaults. */
  readonly full: readonly string[];
}

const SMALL_LOG = ['--count', '100000', '--data-dir', join(tmpdir(), 'postrider-bench-reads-small')];

/** In the order in which they run. The short form of all takes about ten minutes on two cores. */
export const PLAN: readonly PlannedBench[] = [
  // A round takes a second and a half, and pauses of PostgreSQL fall into some of them: with 5 rounds, the ratio varied from 1.17 to 1.46.
  { ...plan('accept', 'Accepting sends', '--count 3000 --rounds 3'), full: ['--rounds', '11'] },
  plan('deliver', 'Delivering, signed', '--count 1000 --rounds 3'),
  plan('path', 'From the request to the recorded delivery', '--count 1000 --rounds 2'),
  plan('webhooks', 'Webhooks', '--count 10000 --rounds 3'),
  plan('smtp', 'SMTP submission', '--count 1000 --rounds 3'),
  plan('postfix', 'Delivering, compared with Postfix and OpenDKIM', '--count 500 --rounds 3'),
  { ...plan('reads', 'Reading the log'), short: [...SMALL_LOG, '--rounds', '5'] },
  { ...plan('stats', 'Statistics'), short: SMALL_LOG },
  { ...plan('console', 'Pages of the console'), short: SMALL_LOG },
  {
    ...plan('growth', 'Growth of the log'),
    short: ['--count', '100000', '--rounds', '3', '--data-dir', join(tmpdir(), 'postrider-bench-growth-small')],
  },
  plan('render', 'Rendering templates', '--count 1000'),
  plan('links', 'Tagging and tracking links', '--rounds 3'),
  plan('exactness', 'Exact limits', '--count 600'),
  plan('limiter', 'The cost of the rate limit', '--count 3000 --rounds 3'),
  plan('processes', 'Several processes', '--count 3000 --rounds 2'),
  plan('fairness', 'Fairness among accounts and destinations', '--count 20000 --rounds 2'),
  plan('hostile', 'Hostile requests', '--count 25'),
  plan('bursts', 'Bursts, floods and idle connections', '--rounds 2'),
  plan('webhooks-fleet', 'Webhooks to failing endpoints', '--count 10000'),
  plan('receipts', 'Receipts of approvals', '--count 2000 --rounds 3'),
  plan('notifications', 'Notifications of decisions', '--count 300 --rounds 3'),
  plan('mcp', 'MCP tool calls', '--count 100 --rounds 3'),
  plan('sdk', 'The SDK', '--count 300 --rounds 3'),
  plan('cli', 'The command line', '--count 5'),
  { ...plan('soak', 'Soak', '--minutes 1'), full: ['--minutes', '60', '--rate', '400'] },
];

function plan(name: string, title: string, short = ''): PlannedBench {
  return { name, title, short: short.split(' ').filter(Boolean), full: [] };
}
