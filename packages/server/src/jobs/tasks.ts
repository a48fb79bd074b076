import { LIMITS, MESSAGE_STATUSES, type MessageStatus } from '@postrider/core';
import type { TaskList } from 'graphile-worker';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { purgeExpired } from '../db/queries/maintenance.ts';
import { dropPastPartitions, ensurePartitions } from '../db/queries/partitions.ts';
import { removeExpiredSuppressions } from '../db/queries/suppressions.ts';
import type { DeliveryEngine } from '../delivery/delivery-engine.ts';
import { isSettled } from '../delivery/message-status.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CAPTURED_DAYS = 7;

/** The task list: names of jobs to what they do. */
export function createTasks(options: {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly engine: DeliveryEngine;
  readonly onError: (error: unknown, what: string) => void;
}): TaskList {
  const { sql, clock, engine, onError } = options;
  return {
    // Begun and not waited for: under steady load the pump never ends, and would hold the queue's slots for ever.
    'deliver:pump': () => {
      engine.pump().catch((error: unknown) => onError(error, 'claiming deliveries'));
    },
    'partitions:ensure': () => ensurePartitions(sql, clock.now()),
    'retention:purge': () => purge(sql, clock.now()),
  };
}

// Object.keys widens to string; the catalogue holds exactly these names.
const OPEN_STATUSES = (Object.keys(MESSAGE_STATUSES) as MessageStatus[]).filter((status) => !isSettled(status));

/** Whole months first: what they held need not be deleted any more. */
async function purge(sql: Sql, now: Date): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const limits = {
    bodiesBefore: before(LIMITS.bodyRetentionDays * DAY_MS),
    messagesBefore: before(LIMITS.logRetentionDays * DAY_MS),
    openStatuses: OPEN_STATUSES,
  };
  await dropPastPartitions(sql, { ...limits, now });
  await removeExpiredSuppressions(sql, now);
  await purgeExpired(sql, {
    ...limits,
    requestsBefore: before(LIMITS.requestLogDays * DAY_MS),
    idempotencyBefore: before(LIMITS.idempotencyKeyHours * HOUR_MS),
    capturedBefore: before(CAPTURED_DAYS * DAY_MS),
  });
}
