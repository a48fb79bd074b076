import type { CronItem } from 'graphile-worker';

/** What happens by the clock. The pump's line is a backstop: a wake-up that got lost costs a minute at most. */
export const CRONTAB: readonly CronItem[] = [
  { task: 'deliver:pump', match: '* * * * *', options: { maxAttempts: 1 } },
  { task: 'deliver:watchdog', match: '*/2 * * * *', options: { maxAttempts: 1 } },
  { task: 'domains:check', match: '* * * * *', options: { maxAttempts: 1 } },
  { task: 'approvals:watch', match: '* * * * *', options: { maxAttempts: 1 } },
  { task: 'keys:announce-expiry', match: '27 * * * *' },
  { task: 'partitions:ensure', match: '7 * * * *' },
  { task: 'retention:purge', match: '17 * * * *' },
  { task: 'reputation:update', match: '27 * * * *' },
  { task: 'accounts:erase', match: '37 * * * *' },
];
