import { setTimeout as pause } from 'node:timers/promises';
import { judge, round } from '../parts/report.ts';
import { eachClient, type Fleet, messageTo, type TimedResponse } from './fleet.ts';

const LARGEST = 3;
const EVERY_MS = 20;

interface Accepted {
  readonly id: string;
  readonly recipients: number;
}

/**
 * All clients send to one, two or three recipients until the month's quota is used up. Then half of them cancel while the others continue,
 * until it is used up again. In any order, what is accepted and not canceled must equal the quota.
 */
export async function proveQuota(fleet: Fleet, quota: number): Promise<boolean> {
  const { accountId, key } = await fleet.newAccount(quota);
  const accepted: Accepted[] = [];
  const others: TimedResponse[] = [];
  let refused = 0;
  let number = 0;

  /** Sends until a message to a single recipient is rejected. */
  async function fill(client: number): Promise<void> {
    for (let recipients = 1 + (client % LARGEST); ; ) {
      number += 1;
      const response = await fleet.call(client + number, 'POST', '/emails', {
        key,
        body: messageTo(recipients, `Quota ${number}`),
        idempotencyKey: `quota-${number}`,
      });
      if (response.status === 202) accepted.push({ id: response.body.id, recipients });
      else if (response.body.code !== 'quota_exceeded' || response.status !== 402) others.push(response);
      else refused += 1;
      if (response.status !== 202 && recipients === 1) return;
      recipients = response.status === 202 ? 1 + ((recipients + client) % LARGEST) : 1;
    }
  }

  const watch = watchLedger(fleet, accountId);
  await eachClient(fill);
  const filled = sum(accepted);
  const chargedFull = await fleet.call(0, 'GET', '/keys/self', { key });

  const doomed = accepted.filter((_, index) => index % 3 === 0);
  const leaving = [...doomed];
  const canceled: Accepted[] = [];
  await eachClient(async (client) => {
    if (client % 2 === 1) {
      // Continues while cancels may still free quota, and once more after that.
      while (canceled.length + others.length < doomed.length) await fill(client);
      return await fill(client);
    }
    for (let one = leaving.pop(); one !== undefined; one = leaving.pop()) {
      const response = await fleet.call(client, 'DELETE', `/emails/${one.id}`, { key });
      if (response.status === 200 || response.body.currentStatus === 'canceled') canceled.push(one);
      else others.push(response);
    }
  });
  const ledger = await watch.stop();
  const used = await Promise.all(
    [0, 1, 2, 3].map(async (server) => (await fleet.call(server, 'GET', '/keys/self', { key })).body.quota.used),
  );
  const kept = sum(accepted) - sum(canceled);
  console.log(
    `\nquota of ${round(quota)}: ${round(sum(accepted))} recipients accepted, ${round(sum(canceled))} of them canceled, ${round(refused)} sends refused with 402, ${others.length} had another response; seen ${ledger.looks} times meanwhile`,
  );
  const found = [
    ['quota: recipients accepted beyond it or short of it', Math.abs(filled - quota)],
    ['quota: units charged beyond or short once it was full', Math.abs(chargedFull.body.quota.used - quota)],
    ['quota: beyond or short after concurrent cancels and sends', Math.abs(kept - quota)],
    ['quota: what the processes show beyond or short of it', Math.max(...used.map((one) => Math.abs(one - quota)))],
    ['quota: most units charged beyond it at any time', Math.max(0, ledger.most - quota)],
    ['quota: looks at which the charge was not the messages’', ledger.apart],
    ['quota: responses that are neither 202 nor 402', others.length],
  ] as const;
  for (const [what, value] of found) console.log(judge(what, value, 0, 'at most'));
  return found.every(([, value]) => value === 0);
}

/** Repeatedly reads the charge and the charged messages in one snapshot. */
function watchLedger({ sql }: Fleet, accountId: string) {
  const seen = { looks: 0, most: 0, apart: 0 };
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const [row] = await sql<{ used: number; charged: number }[]>`
        SELECT coalesce((SELECT sum(used) FROM quota_usage WHERE account_id = ${accountId}), 0)::int AS used,
          coalesce((SELECT sum(charged) FROM messages WHERE account_id = ${accountId}), 0)::int AS charged`;
      seen.looks += 1;
      seen.most = Math.max(seen.most, row?.used ?? 0);
      if (row?.used !== row?.charged) seen.apart += 1;
      await pause(EVERY_MS);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return seen;
    },
  };
}

function sum(messages: readonly Accepted[]): number {
  return messages.reduce((total, { recipients }) => total + recipients, 0);
}
