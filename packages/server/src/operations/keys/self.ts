import { readUsage } from '../../db/queries/accounts.ts';
import { readSentCounts } from '../../db/queries/key-changes.ts';
import { listSendingDomains } from '../../db/queries/sending-domains.ts';
import type { Caller } from '../../keys/caller.ts';
import { toKey } from '../../keys/key-record.ts';
import { quotaMonth, quotaResetsAt } from '../../sending/quota.ts';
import { limitsOf, periodStart } from '../../sending/send-limits.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import type { Database } from '../database.ts';

/** Describes the calling key and its remaining limits. */
export const getOwnKey: Handler<'keys.self'> = async (_input, { services: { database, installation }, caller }) => {
  const now = database.clock.now();
  const [usage, domains, sendsLeft] = await Promise.all([
    readUsage(database.sql, caller.accountId, quotaMonth(now), installation.monthlyQuota),
    listSendingDomains(database.sql, caller.accountId),
    readSendsLeft(database, caller, now),
  ]);
  const { quota: limit, used } = usage;
  return {
    body: {
      ...toKey(caller.row, viewerOf(caller)),
      sendingDomains: [...domains, installation.sandboxDomain],
      sendsLeft,
      sendingPaused: caller.pausedBy,
      account: { id: caller.accountId, name: caller.accountName },
      quota: {
        limit,
        used,
        remaining: Math.max(0, limit - used),
        resetsAt: quotaResetsAt(now).toISOString(),
      },
    },
  };
};

/** The smallest remainder among its own limit and those of the keys that created it. */
async function readSendsLeft({ sql }: Database, caller: Caller, now: Date) {
  const limits = limitsOf(caller);
  if (limits.length === 0) return null;
  const starts = { hour: periodStart('hour', now), day: periodStart('day', now) };
  const each = await Promise.all(
    limits.map(async ({ keyId, sendLimit }) => {
      const sent = await readSentCounts(sql, { accountId: caller.accountId, keyId }, starts);
      const left = (allowed: number | null, sends: number) => (allowed === null ? [] : [Math.max(0, allowed - sends)]);
      return { hour: left(sendLimit.hour, sent.hour), day: left(sendLimit.day, sent.day) };
    }),
  );
  const least = (period: 'hour' | 'day') => {
    const left = each.flatMap((one) => one[period]);
    return left.length === 0 ? null : Math.min(...left);
  };
  return { hour: least('hour'), day: least('day') };
}
