import { judge, median, quantile, round } from '../parts/report.ts';
import { timeInTurns } from '../parts/time-in-turns.ts';
import { READ_ACCOUNT, VALUES } from '../reads/data-set.ts';
import type { DataSetPlace, KeptDatabase } from '../reads/kept-database.ts';
import { type ServedDataSet, serveDataSet } from '../reads/serve-data-set.ts';
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
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<boolean> {
  return await serveDataSet(place, { count, port: PORT }, (served) => measure(served, rounds));
}

async function measure({ database, baseUrl, messages }: ServedDataSet, rounds: number): Promise<boolean> {
  await countAll(database.sql);
  const reader = await signInReader(database.sql, READ_ACCOUNT, baseUrl);
  const holds = await addHolds(database.sql, READ_ACCOUNT, baseUrl, HOLDS);
  console.log(
    `\n${round(messages)} messages of the account, ${round(holds.total)} held sends, ${rounds} alternating rounds, whole responses`,
  );
  const cases = await makeCases(database, holds.newest);
  const times = await timeInTurns(cases, rounds, (path) => getPage(reader, `${baseUrl}${path}`));
  const verdicts = [...times].map(([name, all]) => verdict(`${name} in ms, at p95`, quantile(all, 0.95), PAGE_MS));
  const medians = [...times.values()].map(median);
  return [...verdicts, verdict('the median of all pages in ms', median(medians), MEDIAN_MS)].every(Boolean);
}

function verdict(what: string, value: number, bound: number): boolean {
  console.log(judge(what, value, bound, 'at most'));
  return value <= bound;
}

async function getPage({ cookie }: Reader, url: string): Promise<void> {
  const response = await fetch(url, { headers: { cookie, 'accept-encoding': 'br' }, redirect: 'manual' });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
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
