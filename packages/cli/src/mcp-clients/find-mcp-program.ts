import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

const PACKAGE = '@postrider/mcp';
const PROGRAM = 'postrider-mcp';
/** A file at the top of a clone. */
const CLONE_FILE = 'pnpm-workspace.yaml';

/**
 * The command that starts the stdio server from any directory. An installed package uses npx. A clone uses its own program, whose version
 * may not be published.
 * @param ownFolder the directory of this program
 */
export async function findMcpProgram(ownFolder: string): Promise<readonly [string, ...string[]]> {
  const published = ['npx', '-y', PACKAGE] as const;
  if (ownFolder.split(sep).includes('node_modules')) return published;
  for (const folder of ancestors(ownFolder)) {
    // Only next to the program at the top of a clone is the Node version that it needs.
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
