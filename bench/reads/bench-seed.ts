import { countDataSet, makeDataSet } from './data-set.ts';
import { type DataSetPlace, openKeptDatabase } from './kept-database.ts';

/** `pnpm bench seed [--count N] [--database URL | --data-dir PATH]`: creates the data set of `bench reads` again. */
export async function benchSeed(place: DataSetPlace, count: number): Promise<boolean> {
  const database = await openKeptDatabase(place);
  const began = performance.now();
  try {
    let said = 0;
    await makeDataSet(database.sql, count, (text) => {
      const now = performance.now();
      if (text.startsWith('indexing') && now - said < 5_000) return;
      said = now;
      console.log(`${Math.round((now - began) / 1_000)} s: ${text}`);
    });
    const made = await countDataSet(database.sql);
    console.log(
      `${made.toLocaleString('en-US')} messages of one account in ${Math.round((performance.now() - began) / 1_000)} s, kept in ${place.databaseUrl === null ? place.dataDir : 'the database given'}`,
    );
    return made > 0;
  } finally {
    await database.close();
  }
}
