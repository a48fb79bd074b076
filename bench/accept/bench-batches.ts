import { randomUUID } from 'node:crypto';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { createAcceptQueue } from '../../packages/server/src/sending/accept-queue.ts';
import type { ParsedSend } from '../../packages/server/src/sending/parsed-send.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { plainSend } from '../../test/harness/plain-send.ts';
import { type TaggedSql, tagged } from '../../test/harness/tagged.ts';
import type { BenchDatabase } from '../parts/bench-database.ts';
import { createPostgresCpu } from '../parts/postgres-cpu.ts';
import { compareRates, judge, median, round } from '../parts/report.ts';
import { sampleEmail } from '../parts/sample-email.ts';

type SampleEmail = ReturnType<typeof sampleEmail>;

const BATCH = 100;
const BATCHES = 100;
const AT_ONCE = 2;
const LEAST_RATIO = 0.85;

/** Batches of 100 parsed sends through the accept queue with every rule, compared with one bare multi-row INSERT of the same messages. */
export async function benchBatches(database: BenchDatabase, rounds: number): Promise<boolean> {
  const target = database.target;
  const sql = tagged(openDatabase({ target, maxConnections: AT_ONCE, applicationName: 'bench', keepPlans: true }));
  const acceptSql = tagged(
    openDatabase({ target, maxConnections: 2, applicationName: 'bench-sends', keepPlans: true }),
  );
  const ids = createIdGenerator();
  const { accountId } = await createAccount(
    { sql, clock: systemClock, ids },
    { name: 'Batches', ownerEmail: 'b@sandbox.test' },
  );
  const keyId = ids.next(new Date());
  const acceptQueue = createAcceptQueue({
    sql: acceptSql,
    batchSql: acceptSql,
    filesSql: acceptSql,
    clock: systemClock,
    ids,
    sandboxDomain: 'sandbox.test',
    monthlyQuota: 2_000_000_000,
    onAccepted: () => undefined,
  });
  const accept = async (sends: readonly ParsedSend[]) => {
    const verdicts = await acceptQueue.acceptBatch(sends);
    if (verdicts.some(({ kind }) => kind !== 'accepted')) throw new Error('a batch was not accepted');
  };
  const toSends = (emails: readonly SampleEmail[]) => emails.map((email) => plainSend({ accountId, keyId }, email));
  const ours: Round[] = [];
  const theirs: Round[] = [];
  const postgresMs = await createPostgresCpu(database.sql);
  for (let n = -1; n < rounds; n += 1) {
    const [accepted, bare] = [
      await measure(postgresMs, toSends, accept, n * 2 + 10),
      await measure(postgresMs, toBareRows, (rows) => insertBare(sql, rows), n * 2 + 11),
    ];
    if (n >= 0) ours.push(accepted) && theirs.push(bare);
  }
  await Promise.all([sql.end(), acceptSql.end()]);
  const ratio = median(ours.map(({ rate }, n) => rate / (theirs[n]?.rate ?? 1)));
  console.log(`\nbatches of ${BATCH}, ${AT_ONCE} at once, ${BATCHES} a round, ${rounds} alternating rounds`);
  const rateOf = (measured: readonly Round[]) => median(measured.map(({ rate }) => rate));
  compareRates('accept batches of 100', { Postrider: rateOf(ours), 'bare multi-row INSERT': rateOf(theirs) });
  console.log(`the accept queue, every rule: ${describe(ours)}`);
  console.log(`bare multi-row INSERT: ${describe(theirs)}`);
  console.log(judge('batches, ratio to a bare multi-row INSERT', ratio, LEAST_RATIO, 'at least'));
  return ratio >= LEAST_RATIO;
}

interface Round {
  /** Messages per second. */
  readonly rate: number;
  /** Processor time per thousand messages. */
  readonly ownMs: number;
  readonly postgresMs: number;
}

function describe(rounds: readonly Round[]): string {
  const of = (name: keyof Round) => round(median(rounds.map((one) => one[name])));
  return `${of('rate')} messages/s, ${of('ownMs')} ms CPU here and ${of('postgresMs')} of Postgres a thousand`;
}

/** The data is prepared before the clock starts, on both sides. */
async function measure<Item>(
  readPostgresMs: () => number,
  make: (emails: readonly SampleEmail[]) => readonly Item[],
  write: (items: readonly Item[]) => Promise<void>,
  seed: number,
): Promise<Round> {
  const batches = Array.from({ length: BATCHES }, (_, b) =>
    make(Array.from({ length: BATCH }, (_, i) => sampleEmail(seed + 1_000, b * BATCH + i))),
  );
  const [began, own, postgres] = [performance.now(), process.cpuUsage(), readPostgresMs()];
  const worker = async () => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) await write(batch);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(own);
  const thousands = (BATCHES * BATCH) / 1_000;
  return {
    rate: (thousands * 1_000) / seconds,
    ownMs: (user + system) / 1_000 / thousands,
    postgresMs: (readPostgresMs() - postgres) / thousands,
  };
}

function toBareRows(emails: readonly SampleEmail[]) {
  return emails.map(({ from, to, subject, html, text, tags }) => ({
    id: randomUUID(),
    from_address: from,
    to_address: to,
    subject,
    html,
    text,
    tags,
    status: 'queued',
    created_at: new Date(),
  }));
}

async function insertBare(sql: TaggedSql, rows: Readonly<ReturnType<typeof toBareRows>>): Promise<void> {
  await sql`
    INSERT INTO bare_messages SELECT * FROM json_populate_recordset(NULL::bare_messages, ${JSON.stringify(rows)}::text::json)`;
}
