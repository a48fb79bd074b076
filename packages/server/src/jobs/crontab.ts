import type { CronItem } from 'graphile-worker';

/** What happens by the clock. The pump's line is a backstop: a wake-up that got lost costs a minute at most. */
export const CRONTAB: readonly CronItem[] = [
  { task: 'deliver:pump', match: '* * * * *', options: { maxAttempts: 1 } },
  { task: 'partitions:ensure', match: '7 * * * *' },
  { task: 'retention:purge', match: '17 * * * *' },
];
