import { createKey } from '../../packages/server/src/keys/create-key.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { judge, median, round } from '../parts/report.ts';
import { timeInTurns } from '../parts/time-in-turns.ts';
import { READ_ACCOUNT } from '../reads/data-set.ts';
import type { DataSetPlace, KeptDatabase } from '../reads/kept-database.ts';
import { type ServedDataSet, serveDataSet } from '../reads/serve-data-set.ts';
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
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<boolean> {
  return await serveDataSet(place, { count, port: PORT }, (served) => measure(served, rounds));
}

async function measure({ database, baseUrl, messages }: ServedDataSet, rounds: number): Promise<boolean> {
  await countAll(database.sql);
  console.log(`\n${round(messages)} messages of the account, ${rounds} alternating rounds, medians of whole responses`);
  const key = await makeKey(database);
  const paths = Object.fromEntries(Object.entries(CASES).map(([name, { path }]) => [name, path]));
  const times = await timeInTurns(paths, rounds, async (path) => {
    const response = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.text();
  });
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
