import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { findKeyById } from '../db/queries/api-keys.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import { claimExpiringKeys } from '../db/queries/key-changes.ts';
import { announce } from '../events/announce.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { toKey } from './key-record.ts';

const DAY_MS = 86_400_000;

/** Announces keys that expire within days, once per expiry time. Returns their number. */
export async function announceExpiry({
  sql,
  clock,
  ids,
}: {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}): Promise<number> {
  const now = clock.now();
  const before = new Date(now.getTime() + LIMITS.keyExpiringDays * DAY_MS);
  return await sql.begin(async (transaction) => {
    const keys = await claimExpiringKeys(transaction, { now, before });
    const entries = keys.map(({ accountId, keyId: targetId, keyName: name, last4, expiresAt }) => ({
      ...{ accountId, id: ids.next(now), action: 'key.expiring' as const, actor: 'system', targetId, now },
      details: { name, last4, expiresAt: expiresAt.toISOString() },
    }));
    for (const { accountId, keyId } of keys) {
      const row = await findKeyById(transaction, accountId, keyId);
      if (row !== null)
        await announce(transaction, ids, [{ accountId, type: 'key.expiring', data: toKey(row, null) }], now);
    }
    await appendAudit(transaction, entries);
    return keys.length;
  });
}
