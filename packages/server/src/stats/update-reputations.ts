import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import { changeReputation, readReputations } from '../db/queries/reputations.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { reputationLevel } from './reputation-level.ts';
import { lastDays } from './window-days.ts';

/** Updates the reputation of every account. Each change is recorded in the account's audit log. */
export async function updateReputations(tools: {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}): Promise<void> {
  const { sql, clock, ids } = tools;
  const now = clock.now();
  for (const row of await readReputations(sql, lastDays(LIMITS.reputationWindowDays, now))) {
    const level = reputationLevel(row);
    if (level === row.level) continue;
    await sql.begin(async (transaction) => {
      if (!(await changeReputation(transaction, row.accountId, row.level, level))) return;
      const { sent, bounced, complained, accountId } = row;
      await appendAudit(transaction, [
        {
          ...{
            accountId,
            id: ids.next(now),
            action: 'account.reputation_changed',
            actor: 'system',
            targetId: null,
            now,
          },
          details: { from: row.level, to: level, sent, bounced, complained },
        },
      ]);
    });
  }
}
