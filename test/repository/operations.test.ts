import { OPERATIONS, type Operation } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { readTree, type TreeFile } from './source-tree.ts';

/** Operations that speak their own protocol have a folder of tests, and no file that mirrors the declaration. */
const PROVEN_IN: Readonly<Record<string, RegExp>> = {
  'service/mcp': /^test\/mcp\/.+\.test\.ts$/,
  'service/mcp-stream': /^test\/mcp\/sessions\.test\.ts$/,
  'service/mcp-end': /^test\/mcp\/sessions\.test\.ts$/,
  'auth/oauth': /^test\/operations\/auth\/oauth\.test\.ts$/,
  'auth/device-page': /^test\/operations\/auth\/device\.test\.ts$/,
};

const EFFECTS_OF: Readonly<Record<Operation['method'], readonly string[]>> = {
  GET: ['read'],
  POST: ['read', 'create', 'update', 'replace', 'send'],
  PATCH: ['update'],
  DELETE: ['delete'],
};

const operations: readonly Operation[] = OPERATIONS;
const tree = readTree();
const paths = tree.map(({ path }) => path);
const declarations = paths.flatMap((path) => /^packages\/core\/src\/operations\/(.+\/.+)\.ts$/.exec(path)?.[1] ?? []);

/** Tests that mirror the declaration by their name, or tests of the resource that speak of every path it declares. */
function testsOf(name: string): string[] {
  const mirror = PROVEN_IN[name] ?? new RegExp(`^test/operations/${name}(-[a-z-]+)?\\.test\\.ts$`);
  const declared = tree.find(({ path }) => path === `packages/core/src/operations/${name}.ts`)?.text ?? '';
  const urls = [...declared.matchAll(/^ {2}path: '([^']+)'/gm)].map((match) => match[1] ?? '');
  const folder = `test/operations/${name.split('/')[0]}/`;
  const speaks = ({ path, text }: TreeFile) => path.startsWith(folder) && urls.every((url) => text.includes(url));
  return tree.filter((file) => mirror.test(file.path) || speaks(file)).map(({ path }) => path);
}

describe('an operation', () => {
  it.each(declarations)('is proven by its own test: %s', (name) => {
    expect(testsOf(name), `Add test/operations/${name}.test.ts.`).not.toEqual([]);
  });

  it.each(declarations.filter((name) => !(name in PROVEN_IN)))(
    'is handled in the same place of the server: %s',
    (name) => {
      const handler = `packages/server/src/operations/${name}.ts`;
      expect(paths.includes(handler), `Add ${handler}.`).toBe(true);
    },
  );

  it.each(operations)('$id has a unique id, and a unique method and path', (operation) => {
    expect(operation.id).toMatch(/^[a-z-]+\.[a-z-]+$/);
    const alike = operations.filter(
      ({ id, method, path }) => id === operation.id || (method === operation.method && path === operation.path),
    );
    expect(alike).toEqual([operation]);
    expect(operation.path).toMatch(/^\/$|^(\/(:?[a-z]+([A-Z][a-z]+)*|[a-z]+([.-][a-z]+)*))+$/);
  });

  it.each(operations)('$id declares an effect that fits its method', ({ effect, method }) => {
    expect(EFFECTS_OF[method]).toContain(effect);
  });

  it.each(operations)('$id is described in a title and in sentences', ({ summary, description }) => {
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    expect(description).toMatch(/^[A-Z`].*[.]$/s);
  });

  it.each(operations)('$id has the names that its other surfaces need', ({ mcp, cli }) => {
    if (mcp !== null) expect(mcp.tool).toMatch(/^[a-z]+(_[a-z]+)+$/);
    if (mcp !== null) expect(mcp.description.length).toBeLessThanOrEqual(400);
    if (cli !== null) expect(cli.command).toMatch(/^[a-z]+(-[a-z]+)*( [a-z]+(-[a-z]+)*)*$/);
    for (const example of cli?.examples ?? []) expect(example).toMatch(/^postrider [a-z]/);
  });
});
