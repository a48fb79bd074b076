import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { countKeyMade } from '../db/queries/dkim-selectors.ts';

const HOUR_MS = 3_600_000;

/** Counts a new key of the account. Returns null if it was counted, else the seconds until another key is allowed. */
export type KeyAllowance = (accountId: string) => Promise<number | null>;

/** Limits RSA keys per hour, across all processes and whether or not the keys are kept. */
export function createKeyAllowance(sql: Sql, clock: Clock, limit: number = LIMITS.dkimKeysPerHour): KeyAllowance {
  return async (accountId) => {
    const now = clock.now();
    const since = new Date(now.getTime() - HOUR_MS);
    const oldest = await countKeyMade(sql, accountId, { now, since, limit });
    return oldest === null ? null : Math.max(1, Math.ceil((oldest.getTime() + HOUR_MS - now.getTime()) / 1_000));
  };
}
