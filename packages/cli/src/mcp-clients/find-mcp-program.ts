import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

const PACKAGE = '@postrider/mcp';
const PROGRAM = 'postrider-mcp';
/** Stands at the top of a clone. */
const CLONE_FILE = 'pnpm-workspace.yaml';

/**
 * The words that start the stdio program, from wherever an agent's program stands. What was installed as a package is fetched as one; a clone
 * has its own program, of its own version, and need not be of one that is published at all.
 * @param ownFolder where this command line lies
 */
export async function findMcpProgram(ownFolder: string): Promise<readonly [string, ...string[]]> {
  const published = ['npx', '-y', PACKAGE] as const;
  if (ownFolder.split(sep).includes('node_modules')) return published;
  for (const folder of ancestors(ownFolder)) {
    // Beside the program at the top of a clone lies the Node that it needs, which those further down do without.
    const program = join(folder, 'node_modules', '.bin', PROGRAM);
    if ((await allows(join(folder, CLONE_FILE), constants.R_OK)) && (await allows(program, constants.X_OK)))
      return [program];
  }
  return published;
}

function ancestors(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestors(above)];
}

async function allows(path: string, mode: number): Promise<boolean> {
  return await access(path, mode).then(
    () => true,
    () => false,
  );
}
