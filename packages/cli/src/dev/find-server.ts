import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { CliIo } from '../cli-io.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { ownFailure } from '../failure.ts';

const PROGRAM = 'postrider-server';

/**
 * The path of the server program: the one that is named, or else the first in the current project, in the installation of this program, or
 * on the PATH. Rejects with a CliFailure if there is none.
 */
export async function findServer(named: string | undefined, { env, cwd }: Pick<CliIo, 'env' | 'cwd'>): Promise<string> {
  const installed = [...ancestors(cwd), ...ancestors(import.meta.dirname)].map((folder) =>
    join(folder, 'node_modules', '.bin'),
  );
  const onPath = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates =
    named === undefined ? [...installed, ...onPath].map((folder) => join(folder, PROGRAM)) : [resolve(cwd, named)];
  for (const path of candidates) if (await isProgram(path)) return path;
  const detail =
    named === undefined
      ? `${PROGRAM} is not on the PATH or in node_modules/.bin of this directory or its parents`
      : `${named} is not an executable program`;
  const fix =
    'Install @postrider/server in this project, run the command in a clone of Postrider, or pass the program with --server.';
  throw ownFailure(EXIT_CODES.usage, 'no_server_program', 'There is no server to start', detail, fix);
}

function ancestors(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestors(above)];
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
