import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { countKeyMade } from '../db/queries/dkim-selectors.ts';

const HOUR_MS = 3_600_000;

/** Counts a key of the account's; answers the seconds until there is room for another, and null where it was counted. */
export type KeyAllowance = (accountId: string) => Promise<number | null>;

/** So many RSA keys in any hour, over all processes, whether they are kept or not. */
export function createKeyAllowance(sql: Sql, clock: Clock, limit: number = LIMITS.dkimKeysPerHour): KeyAllowance {
  return async (accountId) => {
    const now = clock.now();
    const since = new Date(now.getTime() - HOUR_MS);
    const oldest = await countKeyMade(sql, accountId, { now, since, limit });
    return oldest === null ? null : Math.max(1, Math.ceil((oldest.getTime() + HOUR_MS - now.getTime()) / 1_000));
  };
}
