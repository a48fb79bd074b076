import { judge, round } from '../parts/report.ts';
import { eachClient, type Fleet, messageTo, type TimedResponse } from './fleet.ts';

const BATCH = 5;
const HOUR_MS = 3_600_000;

/** All clients send with one key that has an hourly or daily limit, in single sends and batches. Exactly that many are accepted. */
export async function proveSendLimits(fleet: Fleet, limit: number): Promise<boolean> {
  let isExact = true;
  for (const period of ['hour', 'day'] as const) {
    let run: Run;
    // If an hour ends during the run, two hours' allowance may be used.
    do run = await sendUp(fleet, { [period]: limit });
    while (run.beganInHour !== hourOf(Date.now()));
    const { accepted, refused, others, stored } = run;
    console.log(
      `\nsend limit of ${round(limit)} ${period === 'hour' ? 'an hour' : 'a day'}: ${round(accepted)} messages accepted, ${round(refused)} refused`,
    );
    const found = [
      [`send limit of the ${period}: messages beyond it or short of it`, Math.abs(accepted - limit)],
      [`send limit of the ${period}: messages stored beyond it or short of it`, Math.abs(stored - limit)],
      [`send limit of the ${period}: responses that are neither`, others],
    ] as const;
    for (const [what, value] of found) console.log(judge(what, value, 0, 'at most'));
    isExact = found.every(([, value]) => value === 0) && isExact;
  }
  return isExact;
}

interface Run {
  readonly accepted: number;
  readonly refused: number;
  readonly others: number;
  readonly stored: number;
  readonly beganInHour: number;
}

async function sendUp(fleet: Fleet, sendLimit: { readonly hour?: number; readonly day?: number }): Promise<Run> {
  const beganInHour = hourOf(Date.now());
  const { accountId, key: maker } = await fleet.newAccount();
  const body = { name: 'Limited', scopes: ['emails:send'], rateLimit: 1_000_000, sendLimit };
  const { key } = (await fleet.call(0, 'POST', '/keys', { key: maker, body })).body;
  const counts = { accepted: 0, refused: 0, others: 0 };
  const note = (isAccepted: boolean, code: string | undefined) => {
    counts[isAccepted ? 'accepted' : code === 'send_limit_reached' ? 'refused' : 'others'] += 1;
    return isAccepted;
  };
  await eachClient(async (client) => {
    let isOver = false;
    for (let n = 0; !isOver; n += 1) {
      const idempotencyKey = `${client}-${n}`;
      if ((client + n) % 4 === 0) {
        const emails = Array.from({ length: BATCH }, (_, item) => messageTo(1, `Limit ${idempotencyKey} ${item}`));
        const batch = await fleet.call(client + n, 'POST', '/emails/batch', { key, body: { emails }, idempotencyKey });
        const items: readonly { ok: boolean; error?: TimedResponse['body'] }[] = batch.body.results;
        isOver = items.map(({ ok, error }) => note(ok, error?.code)).every((isAccepted) => !isAccepted);
      } else {
        const body = messageTo(1, `Limit ${idempotencyKey}`);
        const one = await fleet.call(client + n, 'POST', '/emails', { key, body, idempotencyKey });
        isOver = !note(one.status === 202, one.body.code);
      }
    }
  });
  const [row] = await fleet.sql<
    { count: number }[]
  >`SELECT count(*)::int AS count FROM messages WHERE account_id = ${accountId}`;
  return { ...counts, stored: row?.count ?? 0, beganInHour };
}

function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS);
}
