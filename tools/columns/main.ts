import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runProgram } from '../run-program.ts';
import { withCatalogueCheck } from './catalogue-check.ts';
import { copyTree } from './copy-tree.ts';
import { CHANGES, type Change, changeColumn, type DeclaredColumn, findColumns } from './declared-columns.ts';

/**
 * `pnpm test:columns`: in a copy of the tree, renames each column in its table's declaration, changes its type, and toggles its
 * nullability, one change at a time. Reports whether test/db/schema-catalog.test.ts and the compiler notice each change. Compiling takes
 * seconds, so without `--all` or `--table` the compiler checks a sample. Exits with 1 if the test misses a change.
 */
const { values: options } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    table: { type: 'string', multiple: true },
    sample: { type: 'string', default: '20' },
  },
});

const SCHEMA = 'packages/server/src/db/schema';
const CATALOGUE_TEST = 'test/db/schema-catalog.test.ts';
const root = path.resolve(import.meta.dirname, '../..');
const copy = await mkdtemp(path.join(tmpdir(), 'postrider-columns-'));
try {
  await copyTree(root, copy);
  const declared = await readColumns(path.join(copy, SCHEMA));
  const inspected = options.table === undefined ? declared : choose(declared);
  console.log(`${inspected.length} of ${declared.length} columns are changed in ${CHANGES.length} ways each.`);
  const missedByTest = await compareAll(inspected);
  report(`${CATALOGUE_TEST} notices`, inspected.length, missedByTest);
  const chosen = choose(declared);
  if (compile() !== 0) throw new Error('the tree does not compile as it is');
  const missedByCompiler = await compileAll(chosen);
  report('tsc notices', chosen.length, missedByCompiler);
  // The compiler cannot notice columns that are only parameters or sums; the test must notice every change.
  if (missedByTest.length > 0) process.exitCode = 1;
} finally {
  await rm(copy, { recursive: true, force: true });
}

async function readColumns(folder: string): Promise<readonly DeclaredColumn[]> {
  const files = (await readdir(folder)).sort();
  const found = files.map(async (file) => findColumns(file, await readFile(path.join(folder, file), 'utf8')));
  return (await Promise.all(found)).flat();
}

/** A sample spread evenly over all tables. */
function choose(columns: readonly DeclaredColumn[]): readonly DeclaredColumn[] {
  if (options.all) return columns;
  const tables = options.table;
  if (tables !== undefined) return columns.filter(({ table }) => tables.includes(table));
  const step = Math.max(1, columns.length / Number(options.sample));
  return columns.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step));
}

/** A change and the column it applies to. */
interface Missed {
  readonly column: DeclaredColumn;
  readonly change: Change;
}

/** Runs the test's comparison for every change. Returns the unnoticed ones. */
async function compareAll(columns: readonly DeclaredColumn[]): Promise<readonly Missed[]> {
  let missed: readonly Missed[] = [];
  let version = 0;
  await withCatalogueCheck(async (isNoticed) => {
    missed = await changeAll(columns, (file, { table }) => {
      version += 1;
      return isNoticed(`${file}?version=${version}`, table);
    });
  });
  return missed;
}

async function compileAll(columns: readonly DeclaredColumn[]): Promise<readonly Missed[]> {
  return await changeAll(columns, async (_, column) => {
    const isNoticed = compile() > 0;
    console.log(`${column.table}.${column.field}: ${isNoticed ? 'noticed' : 'NOT NOTICED'} by tsc`);
    return isNoticed;
  });
}

/** Applies each change to the copy and reverts it. Returns those for which `isNoticed` returns false. */
async function changeAll(
  columns: readonly DeclaredColumn[],
  isNoticed: (file: string, column: DeclaredColumn, change: Change) => Promise<boolean>,
): Promise<readonly Missed[]> {
  const missed: Missed[] = [];
  for (const column of columns) {
    const file = path.join(copy, SCHEMA, column.file);
    const source = await readFile(file, 'utf8');
    for (const change of CHANGES) {
      await writeFile(file, changeColumn(source, column, change));
      if (!(await isNoticed(file, column, change))) missed.push({ column, change });
    }
    await writeFile(file, source);
  }
  return missed;
}

/** The number of compiler errors outside the declarations. */
function compile(): number {
  const { output } = runProgram(path.join(root, 'node_modules/.bin/tsc'), ['-b', path.join(copy, 'packages/server')]);
  return output.split('\n').filter((line) => line.includes('error TS') && !line.includes('/db/schema/')).length;
}

function report(whatNotices: string, columns: number, missed: readonly Missed[]): void {
  for (const change of CHANGES) {
    const ofChange = missed.filter((one) => one.change === change);
    const names = ofChange.map(({ column }) => `${column.table}.${column.field}`);
    const list = names.length === 0 ? '' : `, not ${names.join(', ')}`;
    console.log(`${change}: ${whatNotices} ${columns - names.length} of ${columns} columns${list}`);
  }
}
