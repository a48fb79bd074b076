import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, startChild } from '../parts/child.ts';
import { describeMachine } from '../parts/report.ts';
import { countDataSet, makeDataSet } from './data-set.ts';
import { type DataSetPlace, type KeptDatabase, openKeptDatabase } from './kept-database.ts';

export interface ServedDataSet {
  readonly database: KeptDatabase;
  readonly server: Child<unknown>;
  readonly baseUrl: string;
  /** Of the account that is measured. */
  readonly messages: number;
}

/** Starts a server with the data set, which is made first if there is none, and stops it after the measurement. */
export async function serveDataSet<T>(
  place: DataSetPlace,
  { count, port }: { readonly count: number; readonly port: number },
  measure: (served: ServedDataSet) => Promise<T>,
): Promise<T> {
  const database = await openKeptDatabase(place);
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  try {
    if ((await countDataSet(database.sql)) === 0) {
      console.log('there is no data set yet: making it takes some minutes');
      await makeDataSet(database.sql, count, () => undefined);
    }
    console.log(describeMachine(database.settings));
    const messages = await countDataSet(database.sql);
    const server = await startChild<unknown>(new URL('../accept/postrider-process.ts', import.meta.url), {
      ...{ target: database.target, port, dataDir, roles: 'api', transport: 'capture' },
    });
    try {
      return await measure({ database, server, baseUrl: `http://127.0.0.1:${port}`, messages });
    } finally {
      await server.stop();
    }
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
