import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild, type Usage } from '../parts/child.ts';
import { describeMachine, judge, median, round } from '../parts/report.ts';
import { runSmtpLoad } from './smtp-load.ts';
import type { SubmissionProcessReady } from './submission-process.ts';

const SESSIONS = 20;
/** Relative to the library alone: each message is also parsed, checked by every rule and committed. */
const BOUND = 0.5;

/** `pnpm bench smtp [--count N] [--rounds N]`: submitted messages, compared with the SMTP library alone. */
export async function benchSmtp(options: { readonly count: number; readonly rounds: number }): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-smtp-'));
  const tools = { sql: database.sql, clock: systemClock, ids: createIdGenerator() };
  const { key } = await createAccount(tools, { name: 'Bench', ownerEmail: 'bench@sandbox.test' });
  const start = (script: string, settings: unknown) =>
    startChild<SubmissionProcessReady>(new URL(script, import.meta.url), settings);
  const ours = await start('./submission-process.ts', { target: database.target, dataDir });
  const bare = await start('./bare-process.ts', {});
  try {
    console.log(describeMachine(database.settings));
    console.log(
      `\n${SESSIONS} sessions under TLS, ${options.count} messages a round, ${options.rounds} alternating rounds`,
    );
    const measured = await measureInSequence({ ours, bare }, key, options);
    const ratio = median(measured.ours) / median(measured.bare);
    console.log(`postrider    ${round(median(measured.ours))} messages/s`);
    console.log(`smtp-server  ${round(median(measured.bare))} messages/s`);
    const { rssMb } = await ours.ask<Usage>('usage');
    console.log(`memory       ${round(rssMb)} MB`);
    console.log(judge('share of the library alone', ratio, BOUND, 'at least'));
    return ratio >= BOUND;
  } finally {
    await Promise.all([ours.stop(), bare.stop()]);
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measureInSequence(
  servers: { readonly ours: Child<SubmissionProcessReady>; readonly bare: Child<SubmissionProcessReady> },
  key: string,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<{ readonly ours: readonly number[]; readonly bare: readonly number[] }> {
  const measured = { ours: [] as number[], bare: [] as number[] };
  // The first round warms up both.
  for (let seed = 0; seed <= rounds; seed += 1) {
    for (const name of ['ours', 'bare'] as const) {
      const { tlsPort: port } = servers[name].ready;
      const seconds = await runSmtpLoad({ port, key, sessions: SESSIONS, count, seed });
      if (seed > 0) measured[name].push(count / seconds);
    }
  }
  return measured;
}
