import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runProgram } from '../run-program.ts';
import { copyTree } from './copy-tree.ts';
import { CHANGES, type Change, changeColumn, type DeclaredColumn, findColumns } from './declared-columns.ts';

/**
 * `pnpm test:columns`: changes one column after the other in the declaration of its table, in a copy of the tree, and reports which changes the
 * compiler does not notice. What it does not notice only tests can: a name, type or nullability that differs from the database is always found
 * by test/db/schema-catalogue.test.ts, which has one fact for each column. A change takes some seconds, so without `--all` or `--table` it
 * takes a sample.
 */
const { values: options } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    table: { type: 'string', multiple: true },
    sample: { type: 'string', default: '20' },
  },
});

const SCHEMA = 'packages/server/src/db/schema';
const root = path.resolve(import.meta.dirname, '../..');
const copy = await mkdtemp(path.join(tmpdir(), 'postrider-columns-'));
try {
  await copyTree(root, copy);
  const declared = await readColumns(path.join(copy, SCHEMA));
  const chosen = choose(declared);
  console.log(`${chosen.length} of ${declared.length} columns are changed in ${CHANGES.length} ways each.`);
  if (compile() !== 0) throw new Error('the tree does not compile as it is');
  report(chosen.length, await tryAll(chosen));
} finally {
  await rm(copy, { recursive: true, force: true });
}

async function readColumns(folder: string): Promise<readonly DeclaredColumn[]> {
  const files = (await readdir(folder)).sort();
  const found = files.map(async (file) => findColumns(file, await readFile(path.join(folder, file), 'utf8')));
  return (await Promise.all(found)).flat();
}

/** A sample is spread evenly over all tables. */
function choose(columns: readonly DeclaredColumn[]): readonly DeclaredColumn[] {
  if (options.all) return columns;
  const tables = options.table;
  if (tables !== undefined) return columns.filter(({ table }) => tables.includes(table));
  const step = Math.max(1, columns.length / Number(options.sample));
  return columns.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step));
}

async function tryAll(columns: readonly DeclaredColumn[]): Promise<ReadonlyMap<Change, number>> {
  const noticed = new Map<Change, number>();
  for (const column of columns) {
    const file = path.join(copy, SCHEMA, column.file);
    const source = await readFile(file, 'utf8');
    for (const change of CHANGES) {
      await writeFile(file, changeColumn(source, column, change));
      const errors = compile();
      if (errors > 0) noticed.set(change, (noticed.get(change) ?? 0) + 1);
      console.log(`${column.table}.${column.field}, ${change}: ${errors === 0 ? 'NOT NOTICED' : 'noticed'} by tsc`);
    }
    await writeFile(file, source);
  }
  return noticed;
}

/** How many errors there are outside of the declarations. */
function compile(): number {
  const { output } = runProgram(path.join(root, 'node_modules/.bin/tsc'), ['-b', path.join(copy, 'packages/server')]);
  return output.split('\n').filter((line) => line.includes('error TS') && !line.includes('/db/schema/')).length;
}

function report(columns: number, noticed: ReadonlyMap<Change, number>): void {
  for (const change of CHANGES) console.log(`${change}: tsc notices ${noticed.get(change) ?? 0} of ${columns} columns`);
  console.log(`test/db/schema-catalogue.test.ts notices all ${columns}.`);
}
