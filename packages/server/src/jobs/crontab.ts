import type { CronItem } from 'graphile-worker';

/** The scheduled jobs. The pump's entry is a fallback: a lost wake-up costs at most a minute. */
export const CRONTAB: readonly CronItem[] = [
  { task: 'deliver:pump', match: '* * * * *', options: { maxAttempts: 1 } },
  { task: 'deliver:watchdog', match: '*/2 * * * *', options: { maxAttempts: 1 } },
  { task: 'domains:check', match: '* * * * *', options: { maxAttempts: 1 } },
  { task: 'approvals:watch', match: '* * * * *', options: { maxAttempts: 1 } },
  { task: 'keys:announce-expiry', match: '27 * * * *' },
  { task: 'quota:announce', match: '* * * * *', options: { maxAttempts: 1 } },
  { task: 'partitions:ensure', match: '7 * * * *' },
  { task: 'retention:purge', match: '17 * * * *' },
  { task: 'reputation:update', match: '27 * * * *' },
  { task: 'accounts:erase', match: '37 * * * *' },
];
