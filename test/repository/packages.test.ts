import { describe, expect, it } from 'vitest';
import { readTree } from './source-tree.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const tree = readTree();
const manifests = new Map(
  tree.flatMap(({ path, text }): [string, Manifest][] => {
    const folder = /^(?:(packages\/[^/]+)\/)?package\.json$/.exec(path);
    return folder === null ? [] : [[folder[1] ?? '.', JSON.parse(text)]];
  }),
);
const packages = [...manifests].filter(([folder]) => folder !== '.').map(([, manifest]) => manifest);

function needs(name: string): string[] {
  return Object.keys(manifests.get(`packages/${name}`)?.dependencies ?? {});
}

describe('the packages', () => {
  it('depend on each other in one direction, and none on the server', () => {
    const inner = packages.map(({ name, dependencies = {} }) => [
      name,
      Object.keys(dependencies).filter((dependency) => dependency.startsWith('@postrider/')),
    ]);
    expect(Object.fromEntries(inner)).toEqual({
      '@postrider/core': [],
      '@postrider/sdk': [],
      '@postrider/mcp': ['@postrider/core', '@postrider/sdk'],
      '@postrider/review': [],
      '@postrider/cli': ['@postrider/core', '@postrider/mcp', '@postrider/review', '@postrider/sdk'],
      '@postrider/server': ['@postrider/core', '@postrider/mcp', '@postrider/review'],
    });
  });

  it('need one library each for the contract, the review of messages and the SDK', () => {
    expect({ core: needs('core'), review: needs('review'), sdk: needs('sdk') }).toEqual({
      ...{ core: ['zod'], review: ['entities'], sdk: ['undici'] },
    });
  });

  it('have one version, license and Node in common', () => {
    const shared = packages.map(({ version, license, engines, type }) => ({ version, license, engines, type }));
    expect(shared).toEqual(Array(packages.length).fill(shared[0]));
    expect(manifests.get('.')).toMatchObject({ version: shared[0]?.version, license: shared[0]?.license });
  });

  it('are built before pnpm packs them', () => {
    const scripts = packages.map(({ name, scripts: given }) => [name, given]);
    const built = packages.map(({ name }) => [name, { prepack: 'pnpm --dir ../.. run build' }]);
    expect(scripts).toEqual(built);
  });

  it('use only pinned versions: from the catalog, from the workspace, or exact', () => {
    const versions = [...manifests.values()].flatMap(({ name, ...manifest }) =>
      Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }).map(
        ([dependency, version]) => `${name}: ${dependency} ${version}`,
      ),
    );
    const pinned = / (catalog:|workspace:\*|file:tools\/node|\d+\.\d+\.\d+(-[\w.]+)?)$/;
    expect(versions.filter((line) => !pinned.test(line))).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  it('explains why every dependency is there', () => {
    const text = tree.find(({ path }) => path === 'CONTRIBUTING.md')?.text ?? '';
    const names = [...manifests.values()].flatMap((manifest) =>
      Object.keys({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }),
    );
    const foreign = new Set(names.filter((name) => !name.startsWith('@postrider/')));
    const named = (name: string) =>
      [name, name.replace(/\/.*/, '/*'), name.replace(/-.*/, '-*')].some((form) => text.includes(`\`${form}\``));
    expect([...foreign].filter((name) => !named(name))).toEqual([]);
  });
});
