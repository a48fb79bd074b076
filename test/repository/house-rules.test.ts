import { describe, expect, it } from 'vitest';
import { maskLiterals } from '../requirements/code-mask.ts';
import { cyclesOf, graphOf, specifiersOf } from './import-graph.ts';
import { isGenerated, isSource, readTree, type TreeFile } from './source-tree.ts';

const MAX_LINES = 350;
const SERVER = 'packages/server/src/';
/**
 * The entries hand their environment on to what reads it: config.ts, the CLI's and the stdio program's credentials. The SDK has no entry: it reads
 * the defaults of its options.
 */
const MAY_READ_ENVIRONMENT = [
  'packages/cli/src/main.ts',
  'packages/mcp/src/stdio.ts',
  'packages/sdk/src/transports/undici.ts',
  `${SERVER}main.ts`,
];

/** A program may use less than it was granted: see `usableScopes`. These select the scopes, pass them to it, or change what is stored. */
const READ_STORED_SCOPES = [
  'db/queries/access-tokens.ts',
  'db/queries/api-keys.ts',
  'db/queries/mcp-session-streams.ts',
  'keys/caller.ts',
  'keys/changed-fields.ts',
  'keys/manage-keys.ts',
  'oauth-server/access-request.ts',
  'usable-scopes.ts',
];
const SELECT_SCOPES = [
  'db/queries/access-tokens.ts',
  'db/queries/api-keys.ts',
  'db/queries/hold-facts.ts',
  'db/queries/mcp-session-streams.ts',
];

const tree = readTree();
const sources = tree.filter(isSource);
/** Handwritten code: packages, tests, tools and benchmarks. */
const code = tree.filter((file) => /^(packages|test|tools|bench)\/.+\.ts$/.test(file.path) && !isGenerated(file.path));

/** Paths of the files whose code, without comments and the insides of literals, matches. */
function withCode(files: readonly TreeFile[], pattern: RegExp): string[] {
  return files.filter(({ text }) => pattern.test(maskLiterals(text))).map(({ path }) => path);
}

describe('imports', () => {
  const packages = tree.filter(({ path }) => /^packages\/[^/]+\/src\/.+\.ts$/.test(path));
  const manifests = tree.filter(({ path }) => /^packages\/[^/]+\/package\.json$/.test(path));
  const graph = graphOf(packages, manifests);

  it('lead to files that exist', () => {
    const paths = new Set(tree.map(({ path }) => path));
    const edges = [...graph].flatMap(([from, targets]) => targets.map((target) => ({ from, target })));
    expect(edges.length).toBeGreaterThan(packages.length);
    expect(edges.filter(({ target }) => !paths.has(target))).toEqual([]);
  });

  it('form no cycle in or between packages, imports of types included', () => {
    expect(cyclesOf(graph)).toEqual([]);
  });

  it('form no cycle between the folders of the server', () => {
    const folderOf = (file: string) => /^[^/]+\/(?:web|holds)(?=\/)|^[^/]+(?=\/)/.exec(file.slice(SERVER.length))?.[0];
    const folders = new Map<string, string[]>();
    for (const [from, targets] of [...graph].filter(([path]) => path.startsWith(SERVER))) {
      const home = folderOf(from);
      if (home === undefined) continue;
      const others = targets.filter((path) => path.startsWith(SERVER)).flatMap((path) => folderOf(path) ?? []);
      folders.set(home, [...(folders.get(home) ?? []), ...others.filter((name) => name !== home)]);
    }
    expect(cyclesOf(folders)).toEqual([]);
  });

  it('name the file with its extension, as Node requires', () => {
    const bare = code.flatMap(({ path, text }) =>
      specifiersOf(text).flatMap((name) => (/^\.(?!.*\.(ts|json)$)/.test(name) ? [`${path}: ${name}`] : [])),
    );
    expect(bare).toEqual([]);
  });
});

describe('sources', () => {
  it('contain SQL under db/ only, except for the setup of the embedded server', () => {
    const others = sources.filter(
      ({ path }) => !path.startsWith(`${SERVER}db/`) && path !== `${SERVER}postgres/postgres-cluster.ts`,
    );
    expect(withCode(others, /\b(sql|query|transaction|tx)(<[^`;]*>)?\s*`|\.unsafe\(/)).toEqual([]);
    const statement = /[`'"]\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|CREATE|ALTER|DROP|LISTEN|NOTIFY)\s/;
    expect(others.filter(({ text }) => statement.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('read the environment in the entry points only', () => {
    const reads = /\bprocess\s*\.\s*env\b|\benv\b[^{};]*\}\s*=\s*process\b/;
    expect(withCode(sources, reads).sort()).toEqual(MAY_READ_ENVIRONMENT);
    expect(sources.filter(({ text }) => specifiersOf(text).includes('node:process'))).toEqual([]);
  });

  it('read what a program was granted only to find what it may use', () => {
    const server = sources.filter(({ path }) => path.startsWith(SERVER));
    expect(withCode(server, /\bstoredScopes\b/).map((path) => path.slice(SERVER.length))).toEqual(READ_STORED_SCOPES);
    const queries = server.filter(({ text }) => /\b(apiKeys|api_keys|k)\.scopes\b/.test(text));
    expect(queries.map(({ path }) => path.slice(SERVER.length))).toEqual(SELECT_SCOPES);
  });

  it('read neither the clock nor random numbers in decisions', () => {
    const deciding = sources.filter(
      ({ path }) =>
        path.startsWith(SERVER) && !/^(http\/|[^/]+\/web\/|clock\.ts|commands\/)/.test(path.slice(SERVER.length)),
    );
    const contract = sources.filter(({ path }) => path.startsWith('packages/core/'));
    expect(withCode([...deciding, ...contract], /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b/)).toEqual([]);
  });
});

describe('files', () => {
  it(`of packages have at most ${MAX_LINES} lines`, () => {
    const long = sources.filter(({ text }) => text.trimEnd().split('\n').length > MAX_LINES);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('are named in kebab-case', () => {
    const name = /^([a-z0-9]+(-[a-z0-9]+)*\/)+[a-z0-9]+(-[a-z0-9]+)*(\.(test|d|long\.test))?\.ts$/;
    expect(code.filter(({ path }) => !name.test(path)).map(({ path }) => path)).toEqual([]);
  });

  it('are named for one thing, and not for being shared', () => {
    const bucket = /(^|\/)(utils?|helpers?|common|shared|misc|types|constants|lib)(\/|\.ts$)/;
    expect(code.filter(({ path }) => bucket.test(path)).map(({ path }) => path)).toEqual([]);
  });

  it('export by name what they export', () => {
    expect(withCode(code, /^export \*/m)).toEqual([]);
  });

  it('contain no TODO', () => {
    const written = [...code, ...tree.filter(({ path }) => path.endsWith('.md'))];
    const unfinished = /\b(TODO|FIXME|XXX|HACK|WIP|TBD)\b|\b[Nn]ot (yet )?implemented\b|\b[Ll]orem ipsum\b/;
    const found = written.filter(({ path, text }) => !path.endsWith('/house-rules.test.ts') && unfinished.test(text));
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

describe('migrations', () => {
  it('have a unique number each, so that they run in one order everywhere', () => {
    const numbers = tree.flatMap(
      ({ path }) => /^packages\/server\/src\/db\/migrations\/(\d{4})-/.exec(path)?.[1] ?? [],
    );
    expect(numbers.length).toBeGreaterThan(30);
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
  });
});

describe('tests', () => {
  const tests = code.filter(({ path }) => path.startsWith('test/'));

  it('replace none of our modules', () => {
    expect(withCode(tests, /\bvi\s*\.\s*(do)?mock\(/i)).toEqual([]);
  });

  it('are all run, always', () => {
    expect(withCode(tests, /(?<!\.)\b(it|test|describe)\.(only|skip|todo|fails)\b/)).toEqual([]);
  });
});
