import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { listFiles } from './list-files.ts';
import type { WorkspacePackage } from './packages/package-list.ts';

/** Modules that are one file with all they import, by what is loaded at once: what the program begins with, the words of all commands, and what every call needs. */
const LOADED_TOGETHER = [
  { name: 'start', test: /\/cli\/src\/(?:exit-codes|version)\.ts$/, priority: 3 },
  { name: 'commands', test: /\/cli\/src\/(?:run-cli|execute)\.ts$/, priority: 2 },
  { name: 'calls', test: /\/cli\/src\/(?:api-connection|run-operation)\.ts$/, priority: 1 },
];

/**
 * Puts a compiled package's modules together into one file for each entry, and one for whatever is loaded later: Node takes most of a
 * millisecond to find and read a module, and a command of the CLI waited for more than a hundred of them. Declarations stay as they are.
 * Other packages stay outside, `#transport` with them: which file it means is the platform's choice.
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
    // Beside the entries: modules find the manifest by their own place.
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups: LOADED_TOGETHER },
  });
  await build.close();
  removeEmptyFolders(dist);
}

/** Every compiled file that a manifest names, under `dist`. */
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
