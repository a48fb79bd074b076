import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { listFiles } from './list-files.ts';
import type { WorkspacePackage } from './packages/package-list.ts';

/**
 * The entries of each package, grouped by when they load: at the start of the program, for the texts of all commands, and for every call.
 */
const LOADED_TOGETHER = [
  { name: 'start', test: /\/cli\/src\/(?:exit-codes|version)\.ts$/, priority: 3 },
  { name: 'commands', test: /\/cli\/src\/(?:run-cli|execute)\.ts$/, priority: 2 },
  { name: 'calls', test: /\/cli\/src\/(?:api-connection|run-operation)\.ts$/, priority: 1 },
];

/**
 * Bundles a compiled package into one file per entry, and one for what loads later: Node takes most of a millisecond to find and read a
 * module, and a CLI command loaded more than a hundred. Declarations stay unbundled. Other packages and `#transport` stay external, because
 * the platform chooses the transport.
 */
export async function bundlePackage({ folder, manifest }: WorkspacePackage): Promise<void> {
  const dist = join(folder, 'dist');
  const build = await rolldown({
    input: entriesOf(manifest.publishConfig).map((file) => join(folder, 'src', file.replace(/\.js$/, '.ts'))),
    cwd: folder,
    platform: 'node',
    external: (id) => !/^[./]/.test(id),
    onLog: (_level, log) => {
      throw new Error(log.message);
    },
  });
  for (const file of listFiles(dist)) if (!file.endsWith('.d.ts')) rmSync(join(dist, file));
  await build.write({
    dir: dist,
    format: 'esm',
    sourcemap: true,
    entryFileNames: ({ facadeModuleId }) => `${nameOf(facadeModuleId, folder)}.js`,
    // Beside the entries, because modules find the manifest by their own path.
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups: LOADED_TOGETHER },
  });
  await build.close();
  removeEmptyFolders(dist);
}

/** Every compiled file that a manifest refers to, relative to `dist`. */
function entriesOf(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const files = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value === 'string' && value.startsWith('./dist/') && value.endsWith('.js')) files.add(value.slice(7));
    if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) visit(one);
  };
  visit(fields);
  return [...files];
}

function nameOf(module: string | null | undefined, folder: string): string {
  if (!module) throw new Error('An entry without a module.');
  return module.slice(join(folder, 'src').length + 1, -'.ts'.length);
}

function removeEmptyFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const inner = join(folder, entry.name);
    removeEmptyFolders(inner);
    if (readdirSync(inner).length === 0) rmSync(inner, { recursive: true });
  }
}
