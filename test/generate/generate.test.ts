import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ERROR_CODES, OPERATIONS } from '@postrider/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Product } from '../../tools/generate/product.ts';
import { GENERATED_FOLDERS, renderProducts } from '../../tools/generate/products.ts';
import { findStaleFiles, writeProducts } from '../../tools/generate/tree.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

let products: readonly Product[];
beforeAll(async () => {
  products = await renderProducts(ROOT);
});

function contentOf(name: string): string {
  return products.find((product) => product.path === name)?.content ?? '';
}

describe('the tree', () => {
  it('contains every generated file as it would be generated now', async () => {
    const stale = await findStaleFiles(ROOT, products, GENERATED_FOLDERS);
    expect(stale, 'Run `pnpm generate` and commit what it writes.').toEqual([]);
  });

  // It starts a PostgreSQL and runs every migration.
  it('passes `generate --check`', { timeout: 60_000 }, async () => {
    const check = promisify(execFile)(process.execPath, ['tools/generate/main.ts', '--check'], { cwd: ROOT });
    await expect(check).resolves.toMatchObject({ stderr: '' });
  });

  it('is generated to the same bytes each time', async () => {
    expect(await renderProducts(ROOT)).toEqual(products);
  });
});

describe('a stale file', () => {
  it('is named with what is wrong with it, and rewritten', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'generate-'));
    try {
      const folders = ['sdk/generated'];
      const wanted = ['a', 'b', 'resources/c'].map((name) => ({ path: `sdk/generated/${name}.ts`, content: name }));
      expect((await writeProducts(root, wanted, folders)).map(({ reason }) => reason)).toEqual(
        Array(3).fill('missing'),
      );
      await writeFile(path.join(root, 'sdk/generated/a.ts'), 'edited by hand');
      await writeFile(path.join(root, 'sdk/generated/resources/gone.ts'), 'of an operation that is no more');
      const stale = [
        { path: 'sdk/generated/a.ts', reason: 'changed' },
        { path: 'sdk/generated/resources/gone.ts', reason: 'left over' },
      ];
      expect(await findStaleFiles(root, wanted, folders)).toEqual(stale);
      expect(await writeProducts(root, wanted, folders)).toEqual(stale);
      expect(await findStaleFiles(root, wanted, folders)).toEqual([]);
    } finally {
      await rm(root, { recursive: true });
    }
  });
});

describe('openapi.yaml', () => {
  const published = OPERATIONS.map(({ path: pattern }) => pattern.replace(/:(\w+)/g, '{$1}'));

  it('publishes every path without a prefix', { tags: ['contract-shape.openapi-unprefixed'] }, () => {
    expect(Object.keys(parse(contentOf('openapi.yaml')).paths).sort()).toEqual([...new Set(published)].sort());
    expect(published.filter((pattern) => pattern.startsWith('/v1'))).toEqual([]);
  });

  it('lists every code of the catalog', () => {
    expect(parse(contentOf('openapi.yaml')).components.schemas.Problem.properties.code.enum).toEqual(ERROR_CODES);
  });

  it('repeats a shared part instead of using YAML aliases, which many readers do not support', () => {
    expect(contentOf('openapi.yaml')).not.toMatch(/^\s*(?:[\w"'/{}-]+: |- )[&*][a-z]\d*$/m);
  });
});

describe('docs/errors.md', () => {
  it('explains every code of the catalog once', () => {
    const explained = contentOf('docs/errors.md').matchAll(/^\| `(\w+)` \|/gm);
    expect([...explained].map(([, code]) => code).sort()).toEqual([...ERROR_CODES].sort());
  });
});

describe('the SDK', () => {
  it('offers every operation except those with a protocol of their own', () => {
    const callable = OPERATIONS.filter(({ response }) => (response as string) !== 'raw').map(({ id }) => id);
    const offered = contentOf('packages/sdk/src/generated/operations.ts').matchAll(/^ {2}'([\w.-]+)':/gm);
    expect([...offered].map(([, id]) => id).sort()).toEqual(callable.sort());
  });

  it('exports every noun of the contract by name', async () => {
    const entry = await readFile(path.join(ROOT, 'packages/sdk/src/index.ts'), 'utf8');
    const nouns = [...contentOf('packages/sdk/src/generated/models.ts').matchAll(/^export type (\w+)/gm)];
    expect(nouns.map(([, name]) => name).filter((name) => !new RegExp(`^  ${name},$`, 'm').test(entry))).toEqual([]);
  });
});
