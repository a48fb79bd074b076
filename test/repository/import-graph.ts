import path from 'node:path';
import type { TreeFile } from './source-tree.ts';

/** Which file imports which, by path; type imports count like others. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const STATEMENT = /^(?:import|export)\s+(?:type\s+)?(?:[\w*\s{},$]+?\s+from\s+)?'([^']+)'/gm;
const CALL = /\bimport\('([^']+)'\)/g;

/** What a file imports and passes on, as it is written there. */
export function specifiersOf(text: string): readonly string[] {
  return [...text.matchAll(STATEMENT), ...text.matchAll(CALL)].map((match) => match[1] ?? '');
}

/** The imports among the given sources: relative ones, and those that go through the manifests of our own packages. */
export function graphOf(sources: readonly TreeFile[], manifests: readonly TreeFile[]): ImportGraph {
  const entries = new Map(manifests.flatMap(entriesOf));
  const resolve = (from: string, specifier: string): readonly string[] => {
    if (specifier.startsWith('.')) return [path.posix.join(path.posix.dirname(from), specifier)];
    const inner = `${from.split('/').slice(0, 2).join('/')} ${specifier}`;
    return entries.get(specifier) ?? entries.get(inner) ?? [];
  };
  return new Map(
    sources.map((file) => [file.path, specifiersOf(file.text).flatMap((specifier) => resolve(file.path, specifier))]),
  );
}

/** Groups of nodes that reach each other, each sorted; none where the graph has no cycle. */
export function cyclesOf(graph: ImportGraph): readonly (readonly string[])[] {
  const reach = new Map([...graph.keys()].map((node) => [node, reachableFrom(graph, node)]));
  const groups = [...graph.keys()].map((node) =>
    [...(reach.get(node) ?? [])].filter((other) => reach.get(other)?.has(node)).sort(),
  );
  return [...new Map(groups.filter((group) => group.length > 0).map((group) => [group.join(), group])).values()];
}

/** What is reached by one step or more: the node itself only where it is in a cycle. */
function reachableFrom(graph: ImportGraph, start: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...(graph.get(start) ?? [])];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...(graph.get(node) ?? []));
  }
  return seen;
}

/** The files behind `@postrider/…` for everyone, and behind `#…` within the package. */
function entriesOf(manifest: TreeFile): readonly (readonly [specifier: string, files: readonly string[]])[] {
  const folder = path.posix.dirname(manifest.path);
  const { name, exports = {}, imports = {} }: Manifest = JSON.parse(manifest.text);
  return [
    ...Object.entries(exports).map(
      ([key, file]) => [path.posix.join(name, key), [path.posix.join(folder, file)]] as const,
    ),
    ...Object.entries(imports).map(
      ([key, conditions]) =>
        [`${folder} ${key}`, Object.values(conditions).map((file) => path.posix.join(folder, file))] as const,
    ),
  ];
}
