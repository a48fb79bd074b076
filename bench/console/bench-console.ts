import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../parts/child.ts';
import { describeMachine, judge, median, quantile, round } from '../parts/report.ts';
import { countDataSet, makeDataSet, READ_ACCOUNT, VALUES } from '../reads/data-set.ts';
import { type DataSetPlace, type KeptDatabase, openKeptDatabase } from '../reads/kept-database.ts';
import { countAll } from '../stats/count-all.ts';
import { addHolds } from './add-holds.ts';
import { type Reader, signInReader } from './sign-in-reader.ts';

const PORT = 18_142;
const HOLDS = 1_000;
/** Within what a page may take on the server, a reader does not notice it. */
const PAGE_MS = 200;
/** The median of all pages is far below the worst of one. */
const MEDIAN_MS = 60;

/** `pnpm bench console [--count N] [--rounds N]`: pages of the console over HTTP, with the log of `bench reads` and a thousand held sends. */
export async function benchConsole(
  place: DataSetPlace,
  options: { readonly count: number; readonly rounds: number },
): Promise<boolean> {
  const database = await openKeptDatabase(place);
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  try {
    if ((await countDataSet(database.sql)) === 0) await makeDataSet(database.sql, options.count, () => undefined);
    console.log(describeMachine(database.settings));
    await countAll(database.sql);
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
  const baseUrl = `http://127.0.0.1:${PORT}`;
  const reader = await signInReader(database.sql, READ_ACCOUNT, baseUrl);
  const holds = await addHolds(database.sql, READ_ACCOUNT, baseUrl, HOLDS);
  const messages = await countDataSet(database.sql);
  console.log(
    `\n${round(messages)} messages of the account, ${round(holds.total)} held sends, ${rounds} alternating rounds, whole responses`,
  );
  const cases = await makeCases(database, holds.newest);
  const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
  // Alternating, so that other load on the machine affects all equally; the first round warms up.
  for (let n = -1; n < rounds; n += 1) {
    for (const [name, path] of Object.entries(cases)) {
      const ms = await timePage(reader, `${baseUrl}${path}`);
      if (n >= 0) times.get(name)?.push(ms);
    }
  }
  const verdicts = [...times].map(([name, all]) => verdict(`${name} in ms, at p95`, quantile(all, 0.95), PAGE_MS));
  const medians = [...times.values()].map(median);
  return [...verdicts, verdict('the median of all pages in ms', median(medians), MEDIAN_MS)].every(Boolean);
}

function verdict(what: string, value: number, bound: number): boolean {
  console.log(judge(what, value, bound, 'at most'));
  return value <= bound;
}

async function timePage({ cookie }: Reader, url: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(url, { headers: { cookie, 'accept-encoding': 'br' }, redirect: 'manual' });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  return performance.now() - began;
}

async function makeCases({ sql }: KeptDatabase, hold: string): Promise<Readonly<Record<string, string>>> {
  const [one] = await sql<{ id: string }[]>`
    SELECT id FROM messages WHERE account_id = ${READ_ACCOUNT} ORDER BY id DESC OFFSET 500 LIMIT 1`;
  const { domains, tags } = VALUES;
  return {
    'the overview': '/console',
    'the first page of messages': '/console/messages',
    'messages of a status': '/console/messages?status=bounced',
    'messages of a tag': `/console/messages?tag=${tags.common}`,
    'messages to a domain that never occurs': `/console/messages?domain=${domains.never}`,
    'a search for messages': '/console/messages?q=invoice+1234',
    'a search that finds nothing': '/console/messages?q=zzqqxx',
    'one message': `/console/messages/${one?.id}`,
    'the approvals': '/console/approvals',
    'one approval': `/console/approvals/${hold}`,
    'the keys': '/console/keys',
  };
}
