import { createKey } from '../../packages/server/src/keys/create-key.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { judge, median, round } from '../parts/report.ts';
import { READ_ACCOUNT, VALUES } from './data-set.ts';
import { deepCursor } from './deep-cursor.ts';
import type { DataSetPlace, KeptDatabase } from './kept-database.ts';
import { measureExport } from './measure-export.ts';
import { type ServedDataSet, serveDataSet } from './serve-data-set.ts';

const PORT = 18_140;
const PAGE_ROWS = 50;
const DEEP_PAGE = 10_000;
const PAGE_CALLS = 5;
const SHORT = 'text, two characters, never';
const SCOPES = ['emails:read'] as const;

const BOUNDS = {
  pageMs: 3,
  deepRatio: 1.5,
  filterMs: 20,
  searchMs: 60,
  shortSearchMs: 60,
  firstByteMs: 50,
  exportRatio: 0.75,
  exportMb: 30,
};

/**
 * `pnpm bench reads [--count N] [--rounds N]`: pages, filters, searches and the export of a large log over HTTP, compared with the same
 * Postgres.
 */
export async function benchReads(
  place: DataSetPlace,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<boolean> {
  return await serveDataSet(place, { count, port: PORT }, (served) => measure(served, rounds));
}

async function measure(
  { database, server, baseUrl, messages: count }: ServedDataSet,
  rounds: number,
): Promise<boolean> {
  console.log(
    `\n${count.toLocaleString('en-US')} messages of the account, ${rounds} alternating rounds, medians of whole responses`,
  );
  const { id: keyId, secret: key } = await makeKey(database);
  const get = async (path: string) => {
    const response = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { readonly total: number };
  };
  const cases = await makeCases(database, count, keyId);
  const times = new Map<string, number[]>(['SELECT 1', ...Object.keys(cases)].map((name) => [name, []]));
  const totals = new Map<string, number>();
  // Alternating, so that other load on the machine affects all equally; the first round warms up.
  for (let n = -1; n < rounds; n += 1) {
    const time = async (name: string, work: () => Promise<unknown>) => {
      const began = performance.now();
      await work();
      if (n >= 0) times.get(name)?.push(performance.now() - began);
    };
    await time('SELECT 1', () => database.sql`SELECT 1`);
    for (const [name, { path, kind }] of Object.entries(cases)) {
      // Pages without a filter are so fast that waking up dominates, so they are requested several times.
      for (let again = kind === 'page' ? PAGE_CALLS : 1; again > 0; again -= 1) {
        await time(name, async () => totals.set(name, (await get(path)).total));
      }
    }
  }
  const msOf = (name: string) => median(times.get(name) ?? []);
  console.log(`SELECT 1: ${round(msOf('SELECT 1'), 2)} ms`);
  for (const name of Object.keys(cases)) {
    console.log(`${name}: ${round(msOf(name), 1)} ms, ${totals.get(name)?.toLocaleString('en-US')} matches counted`);
  }
  const worst = (kind: Case['kind']) =>
    Math.max(...Object.entries(cases).flatMap(([name, one]) => (one.kind === kind ? [msOf(name)] : [])));
  const searches = Object.entries(cases).flatMap(([name, { kind }]) => (kind === 'search' ? [msOf(name)] : []));
  const exported = await measureExport(database, server, { port: PORT, key, rounds: Math.min(rounds, 5) });
  console.log('');
  const verdicts = [
    verdict('the first page in ms', msOf('page 1'), BOUNDS.pageMs),
    verdict(`page ${round(DEEP_PAGE)} against the first`, msOf('a deep page') / msOf('page 1'), BOUNDS.deepRatio),
    verdict('the slowest single filter in ms', worst('filter'), BOUNDS.filterMs),
    verdict('searches for text in ms, the median of all', median(searches), BOUNDS.searchMs),
    verdict('a search for two characters that never occur in ms', msOf(SHORT), BOUNDS.shortSearchMs),
    verdict('first byte of the export in ms', exported.firstByteMs, BOUNDS.firstByteMs),
    verdict('rows a second of the export against COPY', exported.ratio, BOUNDS.exportRatio, 'at least'),
    verdict('growth of the server’s memory by exports in MB', exported.growthMb, BOUNDS.exportMb),
  ];
  return verdicts.every(Boolean);
}

function verdict(what: string, value: number, bound: number, goal: 'at least' | 'at most' = 'at most'): boolean {
  console.log(judge(what, value, bound, goal));
  return goal === 'at least' ? value >= bound : value <= bound;
}

interface Case {
  readonly path: string;
  /** The bound; null if the value is only printed. */
  readonly kind: 'page' | 'filter' | 'search' | null;
}

async function makeCases({ sql }: KeptDatabase, count: number, keyId: string): Promise<Readonly<Record<string, Case>>> {
  const [some] = await sql<{ recipient: string }[]>`
    SELECT to_line AS recipient FROM messages WHERE account_id = ${READ_ACCOUNT} ORDER BY id OFFSET ${Math.floor(count / 3)} LIMIT 1`;
  const deep = await deepCursor(sql, { keyId, scopes: SCOPES }, Math.min(PAGE_ROWS * DEEP_PAGE, count - PAGE_ROWS - 1));
  const filter = (query: string): Case => ({ path: `/emails?${query}`, kind: 'filter' });
  const search = (text: string): Case => ({ path: `/emails?q=${encodeURIComponent(text)}`, kind: 'search' });
  const both = (query: string): Case => ({ path: `/emails?${query}`, kind: null });
  const { domains, tags, agents } = VALUES;
  return {
    'page 1': { path: '/emails', kind: 'page' },
    'a deep page': { path: `/emails?cursor=${deep}`, kind: 'page' },
    'status, nearly all': filter('status=delivered'),
    'status, few': filter('status=failed'),
    'status, never': filter('status=suppressed'),
    'channel, most': filter('channel=api'),
    'channel, some': filter('channel=mcp'),
    'channel, never': filter('channel=smtp'),
    'source, some': filter('source=automation'),
    'source, never': filter('source=system'),
    'agent, few': filter(`agent_name=${agents.one}`),
    'agent, never': filter(`agent_name=${agents.never}`),
    'tag, half': filter(`tag=${tags.common}`),
    'tag, few': filter(`tag=${tags.rare}`),
    'tag, never': filter(`tag=${tags.never}`),
    'recipient, one': filter(`recipient=${encodeURIComponent(some?.recipient ?? '')}`),
    'recipient, never': filter('recipient=nobody@example.com'),
    'domain, some': filter(`domain=${domains.common}`),
    'domain, never': filter(`domain=${domains.never}`),
    'a week': filter(`from=${daysAgo(40)}&to=${daysAgo(33)}`),
    'domain, formerly many': filter(`domain=${domains.formerly}`),
    'tag, formerly many': filter(`tag=${tags.formerly}`),
    'two tags': both(`tag=${tags.common}&tag=${tags.rare}`),
    'status and tag': both(`status=bounced&tag=${tags.rare}`),
    'tag and text': both(`tag=${tags.common}&q=4711`),
    [SHORT]: search('§§'),
    'text, a tenth': search('order'),
    'text, with a number': search('invoice 1234'),
    'text, an address': search('@corp77.com'),
    'text, part of a name': search('a3f'),
    'text, one message': search(some?.recipient ?? ''),
    'text, never': search('zzqqxx'),
    'text, never but likely': search('your invoice has'),
  };
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

async function makeKey({ sql }: KeptDatabase): Promise<{ readonly id: string; readonly secret: string }> {
  const now = new Date();
  return await createKey(sql, createIdGenerator(), {
    accountId: READ_ACCOUNT,
    name: 'Bench',
    mode: 'live',
    scopes: SCOPES,
    recipientAllowlist: null,
    rateLimit: 1_000_000,
    now,
  });
}
