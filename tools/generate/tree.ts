import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Product } from './product.ts';

/** A file that differs from what would be generated now. */
export interface StaleFile {
  readonly path: string;
  readonly reason: 'missing' | 'changed' | 'left over';
}

/** Compares the products with the files under the root; `folders` contain only generated files. */
export async function findStaleFiles(
  root: string,
  products: readonly Product[],
  folders: readonly string[],
): Promise<readonly StaleFile[]> {
  const stale: StaleFile[] = [];
  for (const product of products) {
    const file = path.join(root, product.path);
    if (!existsSync(file)) stale.push({ path: product.path, reason: 'missing' });
    else if ((await readFile(file, 'utf8')) !== product.content) stale.push({ path: product.path, reason: 'changed' });
  }
  const expected = new Set(products.map((product) => product.path));
  const present = (await Promise.all(folders.map((folder) => listFiles(root, folder)))).flat();
  const leftOver = present.filter((file) => !expected.has(file));
  return [...stale, ...leftOver.map((file) => ({ path: file, reason: 'left over' as const }))];
}

/** Writes the products to the files under the root, and returns those that changed. */
export async function writeProducts(
  root: string,
  products: readonly Product[],
  folders: readonly string[],
): Promise<readonly StaleFile[]> {
  const stale = await findStaleFiles(root, products, folders);
  const contents = new Map(products.map((product) => [product.path, product.content]));
  for (const { path: name } of stale) {
    const content = contents.get(name);
    if (content === undefined) await rm(path.join(root, name));
    else await writeFileWithFolder(path.join(root, name), content);
  }
  return stale;
}

async function writeFileWithFolder(file: string, content: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
}

async function listFiles(root: string, folder: string): Promise<readonly string[]> {
  if (!existsSync(path.join(root, folder))) return [];
  const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return files.map((file) => path.relative(root, file).split(path.sep).join('/')).sort();
}
