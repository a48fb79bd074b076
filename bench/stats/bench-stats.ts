import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey } from '../../packages/server/src/keys/create-key.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { startChild } from '../parts/child.ts';
import { describeMachine, judge, median, round } from '../parts/report.ts';
import { countDataSet, makeDataSet, READ_ACCOUNT } from '../reads/data-set.ts';
import { type DataSetPlace, type KeptDatabase, openKeptDatabase } from '../reads/kept-database.ts';
import { countAll } from './count-all.ts';

const PORT = 18_141;

const CASES: Readonly<Record<string, { readonly path: string; readonly boundMs: number }>> = {
  'stats alone': { path: '/account/stats?window=90d', boundMs: 10 },
  provenance: { path: '/account/stats?window=90d&provenance=true', boundMs: 10 },
  by_tag: { path: '/account/stats?window=90d&by_tag=true', boundMs: 10 },
  bounces: { path: '/account/stats?window=90d&bounces=true', boundMs: 10 },
  engagement: { path: '/account/stats?window=90d&engagement=true', boundMs: 10 },
  'all switches': {
    path: '/account/stats?window=90d&provenance=true&by_tag=true&bounces=true&engagement=true',
    boundMs: 25,
  },
  volume: { path: '/account/volume?window=90d', boundMs: 5 },
  'volume by tag': { path: '/account/volume?window=90d&by=tag', boundMs: 10 },
  'volume by agent': { path: '/account/volume?window=90d&by=agent', boundMs: 10 },
};

/** `pnpm bench stats [--count N] [--rounds N]`: statistics over 90 days of the log of `bench reads`, over HTTP. */
export async function benchStats(
  place: DataSetPlace,
  options: { readonly count: number; readonly rounds: number },
): Promise<boolean> {
  const database = await openKeptDatabase(place);
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  try {
    if ((await countDataSet(database.sql)) === 0) await makeDataSet(database.sql, options.count, () => undefined);
    console.log(describeMachine(database.settings));
    await countAll(database.sql);
    const messages = await countDataSet(database.sql);
    console.log(
      `\n${round(messages)} messages of the account, ${options.rounds} alternating rounds, medians of whole responses`,
    );
    const server = await startChild<unknown>(new URL('../accept/postrider-process.ts', import.meta.url), {
      ...{ target: database.target, port: PORT, dataDir, roles: 'api', transport: 'capture' },
    });
    try {
      return await measure(database, options.rounds);
    } finally {
      await server.stop();
    }
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(database: KeptDatabase, rounds: number): Promise<boolean> {
  const key = await makeKey(database);
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${PORT}${path}`, { headers: { authorization: `Bearer ${key}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.text();
  };
  const times = new Map<string, number[]>(Object.keys(CASES).map((name) => [name, []]));
  // Alternating, so that other load on the machine affects all equally; the first round warms up.
  for (let n = -1; n < rounds; n += 1) {
    for (const [name, { path }] of Object.entries(CASES)) {
      const began = performance.now();
      await get(path);
      if (n >= 0) times.get(name)?.push(performance.now() - began);
    }
  }
  const verdicts = Object.entries(CASES).map(([name, { boundMs }]) => {
    const ms = median(times.get(name) ?? []);
    console.log(judge(`${name} in ms`, ms, boundMs, 'at most'));
    return ms <= boundMs;
  });
  return verdicts.every(Boolean);
}

async function makeKey({ sql }: KeptDatabase): Promise<string> {
  const { secret } = await createKey(sql, createIdGenerator(), {
    accountId: READ_ACCOUNT,
    name: 'Bench',
    mode: 'live',
    scopes: ['stats:read'],
    recipientAllowlist: null,
    now: new Date(),
  });
  return secret;
}
