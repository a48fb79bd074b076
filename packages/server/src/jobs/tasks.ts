import { LIMITS, MESSAGE_STATUSES, type MessageStatus } from '@postrider/core';
import type { TaskList } from 'graphile-worker';
import { eraseDueAccounts } from '../accounts/erase-account.ts';
import type { ApprovalJobs } from '../approvals/run-approval-jobs.ts';
import { sessionHorizons } from '../auth/session-lifetime.ts';
import type { Clock } from '../clock.ts';
import type { RetentionSetting } from '../config/setting-values.ts';
import type { Sql } from '../db/client.ts';
import { purgeAccessTokens } from '../db/queries/access-tokens.ts';
import { removeRollups } from '../db/queries/count-messages.ts';
import { forgetUnusedSelectors } from '../db/queries/dkim-selectors.ts';
import { removeReportCounts } from '../db/queries/inbound-reports.ts';
import { purgeExpired } from '../db/queries/maintenance.ts';
import { purgeMcpSessions } from '../db/queries/mcp-sessions.ts';
import { purgeNotices } from '../db/queries/notices.ts';
import { purgeOAuthRecords } from '../db/queries/oauth-records.ts';
import { dropPastPartitions, ensurePartitions } from '../db/queries/partitions.ts';
import { purgeSpentChallenges } from '../db/queries/passkeys.ts';
import { purgeWebhooks } from '../db/queries/purge-webhooks.ts';
import { purgeSignIns } from '../db/queries/sessions.ts';
import { removeExpiredSuppressions } from '../db/queries/suppressions.ts';
import { forgetUnseated } from '../db/queries/users.ts';
import type { DeliveryEngine } from '../delivery/delivery-engine.ts';
import { isSettled } from '../delivery/message-status.ts';
import { announceExpiry } from '../keys/announce-expiry.ts';
import type { DomainChecker } from '../sending-domains/domain-checker.ts';
import { updateReputations } from '../stats/update-reputations.ts';
import { utcDay } from '../stats/window-days.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { announceQuota } from '../webhooks/announce-quota.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CAPTURED_DAYS = 7;

/** The task list: maps job names to functions. */
export function createTasks(options: {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly engine: DeliveryEngine;
  readonly domains: Pick<DomainChecker, 'checkDue'>;
  readonly ids: IdGenerator;
  readonly retention: RetentionSetting;
  readonly monthlyQuota: number;
  readonly approvals: ApprovalJobs;
  /** Repairs stuck messages. */
  readonly watchdog: () => Promise<void>;
  readonly onError: (error: unknown, what: string) => void;
}): TaskList {
  const { sql, clock, ids, engine, domains, approvals, watchdog, retention, monthlyQuota, onError } = options;
  return {
    // Started without waiting: under steady load the pump never ends, and would block the queue's slots forever.
    'deliver:pump': () => {
      engine.pump().catch((error: unknown) => onError(error, 'claiming deliveries'));
    },
    'deliver:watchdog': () => watchdog(),
    'domains:check': () => domains.checkDue(),
    'approvals:tell': () => approvals.notify(),
    'approvals:watch': () => approvals.watch(),
    'keys:announce-expiry': async () => {
      await announceExpiry({ sql, clock, ids });
    },
    'quota:announce': () => announceQuota({ sql, clock, ids, monthlyQuota }, 'all'),
    'partitions:ensure': () => ensurePartitions(sql, clock.now()),
    'retention:purge': () => purge(sql, clock.now(), retention),
    'reputation:update': () => updateReputations({ sql, clock, ids }),
    'accounts:erase': async () => {
      await eraseDueAccounts(sql, clock.now());
    },
  };
}

// Object.keys widens to string; the catalog contains exactly these names.
const OPEN_STATUSES = (Object.keys(MESSAGE_STATUSES) as MessageStatus[]).filter((status) => !isSettled(status));

/** Whole months first: their rows then need not be deleted separately. */
async function purge(sql: Sql, now: Date, { bodyDays, logDays, eventDays }: RetentionSetting): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const limits = {
    bodiesBefore: before(bodyDays * DAY_MS),
    messagesBefore: before(logDays * DAY_MS),
    eventsBefore: before(eventDays * DAY_MS),
    openStatuses: OPEN_STATUSES,
  };
  await dropPastPartitions(sql, { ...limits, now });
  await removeExpiredSuppressions(sql, now);
  await purgeSignIns(sql, { now, ...sessionHorizons(now), codesBefore: before(HOUR_MS) });
  await purgeSpentChallenges(sql, now);
  await purgeOAuthRecords(sql, now);
  await purgeAccessTokens(sql, before(DAY_MS));
  await forgetUnseated(sql);
  await forgetUnusedSelectors(sql, now, before(LIMITS.unusedSelectorDays * DAY_MS));
  await purgeNotices(sql, now);
  await purgeMcpSessions(sql, now);
  await purgeWebhooks(sql, before(eventDays * DAY_MS));
  await removeReportCounts(sql, before(logDays * DAY_MS));
  // Statistics remain for their whole query range, however short the log retention is.
  await removeRollups(sql, utcDay(before(Math.max(logDays, LIMITS.statsWindowDaysMax) * DAY_MS)));
  await purgeExpired(sql, {
    ...limits,
    requestsBefore: before(LIMITS.requestLogDays * DAY_MS),
    idempotencyBefore: before(LIMITS.idempotencyKeyHours * HOUR_MS),
    capturedBefore: before(CAPTURED_DAYS * DAY_MS),
  });
}
