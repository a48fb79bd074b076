import path from 'node:path';
import { parseArgs } from 'node:util';
import { withMigratedDatabase } from './migrated-database.ts';
import { GENERATED_FOLDERS, renderProducts } from './products.ts';
import { dumpSchema } from './schema-dump.ts';
import { findStaleFiles, writeProducts } from './tree.ts';

/** `pnpm generate` writes everything that is generated; with `--check` it writes nothing, and fails where a file is stale. */
const root = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const [rendered, schema] = await Promise.all([renderProducts(root), withMigratedDatabase(dumpSchema)]);
const products = [...rendered, schema];

if (values.check) {
  const stale = await findStaleFiles(root, products, GENERATED_FOLDERS);
  for (const file of stale) console.error(`${file.path}: ${file.reason}`);
  if (stale.length > 0) console.error('Run `pnpm generate`.');
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  const touched = await writeProducts(root, products, GENERATED_FOLDERS);
  for (const file of touched) console.log(`${file.path}: ${file.reason === 'left over' ? 'removed' : 'written'}`);
}
