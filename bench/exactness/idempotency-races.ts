import { judge, round } from '../parts/report.ts';
import { CLIENTS, eachClient, type Fleet, messageTo } from './fleet.ts';

/** All clients send with one idempotency key at once, to all processes: one message, one charge, and the same response for all. */
export async function proveIdempotency(fleet: Fleet, races: number): Promise<boolean> {
  const { accountId, key } = await fleet.newAccount();
  const found = { first: 0, replayed: 0, running: 0, others: 0, split: 0, withoutResponse: 0 };
  for (let race = 0; race < races; race += 1) {
    const idempotencyKey = `race-${race}`;
    const body = messageTo(2, `Race ${race}`);
    const responses = await eachClient((client) =>
      fleet.call(client + race, 'POST', '/emails', { key, body, idempotencyKey }),
    );
    // A request that is rejected because the first is still running gets its response once that has ended.
    const later = await fleet.call(race, 'POST', '/emails', { key, body, idempotencyKey });
    for (const { status, headers, body: response } of responses) {
      if (status === 202) found[headers.get('idempotency-replayed') === null ? 'first' : 'replayed'] += 1;
      else if (response.code === 'idempotency_in_progress') found.running += 1;
      else found.others += 1;
    }
    const ids = new Set([later, ...responses].flatMap((one) => (one.status === 202 ? [one.body.id] : [])));
    if (ids.size !== 1) found.split += 1;
    if (later.status !== 202 || later.headers.get('idempotency-replayed') !== 'true') found.withoutResponse += 1;
  }
  const [row] = await fleet.sql<{ messages: number; used: number }[]>`
    SELECT (SELECT count(*) FROM messages WHERE account_id = ${accountId})::int AS messages,
      (SELECT sum(used) FROM quota_usage WHERE account_id = ${accountId})::int AS used`;
  console.log(
    `\nidempotency: ${round(races)} keys, each sent under ${CLIENTS} times at once: ${round(found.first)} first responses, ${round(found.replayed)} replayed, ${round(found.running)} refused because the first still ran`,
  );
  const judged = [
    ['idempotency: messages beyond or short of one a key', Math.abs((row?.messages ?? 0) - races)],
    ['idempotency: units charged beyond or short of one message a key', Math.abs((row?.used ?? 0) - 2 * races)],
    ['idempotency: keys with several ids or none', found.split],
    ['idempotency: keys whose response is not replayed afterwards', found.withoutResponse],
    ['idempotency: responses of another kind', found.others],
  ] as const;
  for (const [what, value] of judged) console.log(judge(what, value, 0, 'at most'));
  return judged.every(([, value]) => value === 0);
}
