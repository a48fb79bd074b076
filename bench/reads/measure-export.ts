import { get } from 'node:http';
import postgres, { type Sql } from 'postgres';
import { type DatabaseTarget, toConnectionString } from '../../packages/server/src/db/client.ts';
import type { Child, Usage } from '../parts/child.ts';
import { median, round } from '../parts/report.ts';
import { READ_ACCOUNT } from './data-set.ts';
import type { KeptDatabase } from './kept-database.ts';

const ROWS = 100_000;

export interface ExportFigures {
  readonly firstByteMs: number;
  /** Rows per second over HTTP, and by COPY of the same columns over the socket, measured in pairs. */
  readonly ratio: number;
  readonly growthMb: number;
}

/** Exports of 100,000 rows as CSV, alternating with COPY of the same columns. */
export async function measureExport(
  { target }: KeptDatabase,
  server: Child<unknown>,
  { port, key, rounds }: { readonly port: number; readonly key: string; readonly rounds: number },
): Promise<ExportFigures> {
  const url = `http://127.0.0.1:${port}/emails/export`;
  const driver = openDriver(target);
  const copy = () => timeCopy(driver);
  await Promise.all([download(url, key), copy()]);
  const before = await server.ask<Usage>({});
  const exports: Downloaded[] = [];
  const copies: number[] = [];
  let peakMb = before.rssMb;
  for (let n = 0; n < rounds; n += 1) {
    copies.push(await copy());
    exports.push(await download(url, key));
    peakMb = Math.max(peakMb, (await server.ask<Usage>({})).rssMb);
  }
  await driver.end();
  const perSecond = (ms: number) => round(ROWS / (ms / 1_000));
  const wholeMs = median(exports.map(({ ms }) => ms));
  console.log(
    `export, ${round(ROWS)} rows: ${perSecond(wholeMs)} rows/s; COPY of the same columns: ${perSecond(median(copies))} rows/s`,
  );
  return {
    firstByteMs: median(exports.map(({ firstByteMs }) => firstByteMs)),
    ratio: median(exports.map(({ ms, rows }, n) => (rows / ms) * ((copies[n] ?? 0) / ROWS))),
    growthMb: peakMb - before.rssMb,
  };
}

/** The PostgreSQL driver itself: COPY returns its own stream. It does not parse socket URLs. */
function openDriver(target: DatabaseTarget): Sql {
  if (target.kind !== 'socket') return postgres(toConnectionString(target), { max: 1 });
  return postgres({ host: target.host, database: target.database, user: target.user, max: 1 });
}

interface Downloaded {
  readonly ms: number;
  readonly firstByteMs: number;
  readonly rows: number;
}

function download(url: string, key: string): Promise<Downloaded> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { headers: { authorization: `Bearer ${key}` } }, (response) => {
      let firstByteMs = 0;
      let rows = -1; // Without the header row.
      response.on('data', (chunk: Buffer) => {
        firstByteMs ||= performance.now() - began;
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1;
      });
      response.on('end', () => resolve({ ms: performance.now() - began, firstByteMs, rows }));
      response.on('error', reject);
    }).on('error', reject);
  });
}

async function timeCopy(driver: Sql): Promise<number> {
  const began = performance.now();
  const stream = await driver
    .unsafe(`
      COPY (SELECT id, created_at, from_given, to_line, subject, status, channel, source, agent_name, array_to_string(tags, ';')
        FROM messages WHERE account_id = '${READ_ACCOUNT}' ORDER BY id DESC LIMIT ${ROWS}) TO STDOUT (FORMAT csv, HEADER)`)
    .readable();
  for await (const _ of stream);
  return performance.now() - began;
}
