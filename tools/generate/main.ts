import path from 'node:path';
import { parseArgs } from 'node:util';
import { INDEX_FOLDERS, renderIndexes } from './indexes.ts';
import type { Product } from './product.ts';
import { findStaleFiles, type StaleFile, writeProducts } from './tree.ts';

/** `pnpm generate` writes all generated files. With `--check` it writes nothing, and fails if a file is stale. */
const root = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

// The other generators load the packages through these lists.
const isComplete = await settle(await renderIndexes(root), INDEX_FOLDERS);
if (isComplete) {
  const { GENERATED_FOLDERS, renderProducts } = await import('./products.ts');
  const { withMigratedDatabase } = await import('./migrated-database.ts');
  const { dumpSchema } = await import('./schema-dump.ts');
  const [products, schema] = await Promise.all([renderProducts(root), withMigratedDatabase(dumpSchema)]);
  await settle([...products, schema], GENERATED_FOLDERS);
}

/** Writes the files, or lists the stale ones. Returns false if some stay stale. */
async function settle(products: readonly Product[], folders: readonly string[]): Promise<boolean> {
  if (values.check) return report(await findStaleFiles(root, products, folders));
  for (const file of await writeProducts(root, products, folders)) {
    console.log(`${file.path}: ${file.reason === 'left over' ? 'removed' : 'written'}`);
  }
  return true;
}

function report(stale: readonly StaleFile[]): boolean {
  for (const file of stale) console.error(`${file.path}: ${file.reason}`);
  if (stale.length === 0) return true;
  console.error('Run `pnpm generate`.');
  process.exitCode = 1;
  return false;
}
