import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createKey } from '../../packages/server/src/keys/create-key.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import type { BenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild, type Usage } from '../parts/child.ts';
import { makeHolds, newHeldKey } from '../parts/holds.ts';
import type { LoadRequest, LoadResult, Post } from '../parts/http-load.ts';
import { createPostgresCpu } from '../parts/postgres-cpu.ts';
import { compareRates, judge, median, quantile, round } from '../parts/report.ts';
import { addBareHolds, createBareHolds } from './bare-holds.ts';

const CONNECTIONS = 16;
const PORT = { postrider: 18_165, bare: 18_166 } as const;
/**
 * In bare transactions, each of which locks a row, changes it and stores a signed statement. A decision measures 11 to 14 times their CPU: it
 * checks the message again and writes events and the audit log. Decisions of one account also wait for the end of its audit log.
 */
const MOST_CPU = 20;
const LEAST_RATE = 0.05;

interface Round {
  readonly perSecond: number;
  readonly p99: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
}

/** Approvals of held messages by a key over the API, each with its receipt, compared with bare transactions on the same Postgres. */
export async function benchDecisions(
  database: BenchDatabase,
  dataDir: string,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<boolean> {
  const { sql, target } = database;
  await createBareHolds(sql);
  const tools = { sql, clock: systemClock, ids: createIdGenerator() };
  const { accountId, key: owner } = await createAccount(tools, { name: 'Bench', ownerEmail: 'bench@sandbox.test' });
  const server = await startChild<{ readonly baseUrl: string }>(
    new URL('../accept/postrider-process.ts', import.meta.url),
    { target, port: PORT.postrider, dataDir, roles: 'api', transport: 'capture' },
  );
  const bare = await startChild<unknown>(new URL('./bare-decisions-process.ts', import.meta.url), {
    ...{ target, port: PORT.bare, connections: CONNECTIONS },
  });
  const load = await startChild<unknown>(new URL('../parts/http-load.ts', import.meta.url), {});
  const { baseUrl } = server.ready;
  const held = await newHeldKey(baseUrl, owner);
  const deciding = { name: 'Decider', mode: 'live', scopes: ['approvals:decide', 'approvals:read'] } as const;
  const decider = await createKey(sql, tools.ids, {
    ...deciding,
    accountId,
    recipientAllowlist: null,
    now: new Date(),
  });
  await sql`UPDATE api_keys SET rate_limit = 1000000`;
  const postgresMs = await createPostgresCpu(sql);
  console.log(
    `\ndecisions: ${round(count)} approvals a round over ${CONNECTIONS} connections, one account, ${rounds} alternating rounds`,
  );

  const measure = async (of: Child<unknown>, port: number, key: string, posts: readonly Post[]): Promise<Round> => {
    const request: LoadRequest = {
      ...{ port, path: '/', key, posts, seed: 0 },
      connections: CONNECTIONS,
      count: posts.length,
    };
    const [node, postgres] = [(await of.ask<Usage>({})).cpuMs, postgresMs()];
    const { seconds, latenciesMs, refused } = await load.ask<LoadResult>(request);
    if (refused > 0) throw new Error(`${refused} of ${posts.length} decisions failed`);
    return {
      perSecond: posts.length / seconds,
      p99: quantile([...latenciesMs], 0.99),
      nodeUs: (((await of.ask<Usage>({})).cpuMs - node) * 1_000) / posts.length,
      postgresUs: ((postgresMs() - postgres) * 1_000) / posts.length,
    };
  };
  const [ours, theirs]: [Round[], Round[]] = [[], []];
  const body = { decision: 'approve' };
  try {
    // The first round warms up both.
    for (let n = -1; n < rounds; n += 1) {
      const holds = await makeHolds(baseUrl, held, count, n);
      const own = await measure(
        server,
        PORT.postrider,
        decider.secret,
        holds.map((id) => ({ path: `/keys/approvals/${id}`, body })),
      );
      const rows = await addBareHolds(sql, count);
      const other = await measure(
        bare,
        PORT.bare,
        'none',
        rows.map((id) => ({ path: `/decide/${id}`, body })),
      );
      if (n < 0) continue;
      ours.push(own);
      theirs.push(other);
    }
    const [found] = await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM approval_receipts`;
    if (found?.n !== count * (rounds + 1)) throw new Error(`there are ${found?.n} receipts`);
  } finally {
    for (const child of [load, server, bare]) await child.stop();
  }
  return report(ours, theirs);
}

function report(ours: readonly Round[], theirs: readonly Round[]): boolean {
  printRounds('decisions, every rule', ours);
  printRounds('bare transactions', theirs);
  const rateOf = (rounds: readonly Round[]) => median(rounds.map(({ perSecond }) => perSecond));
  compareRates('decide about held messages', {
    Postrider: rateOf(ours),
    'bare transaction that signs and stores a receipt': rateOf(theirs),
  });
  const cpuOf = ({ nodeUs, postgresUs }: Round) => nodeUs + postgresUs;
  const pairs = ours.flatMap((own, n) => theirs.slice(n, n + 1).map((other) => ({ own, other })));
  const rate = median(pairs.map(({ own, other }) => own.perSecond / other.perSecond));
  const cpu = median(pairs.map(({ own, other }) => cpuOf(own) / cpuOf(other)));
  console.log(judge('decisions with receipts a second, ratio to bare transactions', rate, LEAST_RATE, 'at least'));
  console.log(judge('CPU of a decision with Postgres, in bare transactions', cpu, MOST_CPU, 'at most'));
  return rate >= LEAST_RATE && cpu <= MOST_CPU;
}

function printRounds(name: string, rounds: readonly Round[]): void {
  const of = (pick: (round: Round) => number, digits = 0) => round(median(rounds.map(pick)), digits);
  console.log(
    `  ${name}: ${of((r) => r.perSecond)} a second, p99 ${of((r) => r.p99, 1)} ms, ${of((r) => r.nodeUs)} µs CPU of the server and ${of((r) => r.postgresUs)} of Postgres each (medians)`,
  );
}
