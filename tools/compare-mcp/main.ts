import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TOOLSET_NAMES } from '@postrider/core';
import { ROOT } from '../run-program.ts';
import { type ComparedServer, OTHER_PACKAGES, ownServers } from './compared-servers.ts';
import { countTools, type ToolCounts } from './count-tools.ts';

/**
 * `node tools/compare-mcp/main.ts [folder]`: the figures of docs/comparison.md. The folder has the other servers' packages, which the
 * reader installs. Each is started with a placeholder key, listed and stopped; no other tool call is made.
 */
interface Manifest {
  readonly version: string;
  readonly bin?: string | Readonly<Record<string, string>>;
}

const COLUMNS: readonly (readonly [title: string, of: (counts: ToolCounts) => number])[] = [
  ['tools', ({ tools }) => tools],
  ['bytes', ({ bytes }) => bytes],
  ['annotated', ({ annotated }) => annotated],
  ['all four hints', ({ fullyAnnotated }) => fullyAnnotated],
  ['output schemas', ({ withOutputSchema }) => withOutputSchema],
  ['idempotency keys', ({ withIdempotencyKey }) => withIdempotencyKey],
];

const [folder] = process.argv.slice(2);
console.log(`| server | ${COLUMNS.map(([title]) => title).join(' | ')} |`);
console.log(`| --- |${' --- |'.repeat(COLUMNS.length)}`);
for (const server of ownServers(ROOT, TOOLSET_NAMES)) await printRow(server);
for (const other of folder === undefined ? [] : OTHER_PACKAGES) {
  const installed = join(resolve(folder ?? '.'), 'node_modules', other.name);
  if (existsSync(installed)) await printRow({ ...other, ...readProgram(installed, other.name) });
  else console.log(`${other.name}: not installed in ${folder}`);
}

async function printRow(server: ComparedServer): Promise<void> {
  try {
    const counts = await countTools(server);
    console.log(`| ${server.name} | ${COLUMNS.map(([, of]) => of(counts)).join(' | ')} |`);
  } catch (error) {
    console.log(`${server.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The package's first program, and its name with the installed version. */
function readProgram(installed: string, name: string): Pick<ComparedServer, 'name' | 'program'> {
  // Manifests that npm installed have a version. A package without programs is not one of those compared.
  const { version, bin = '' }: Manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : Object.values(bin)[0];
  return { name: `${name} ${version}`, program: join(installed, file ?? '') };
}
