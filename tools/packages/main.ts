import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { ROOT, runProgram } from '../run-program.ts';
import { listPackages } from './package-list.ts';
import { type StagedPackage, stagePackage } from './stage-package.ts';

/**
 * Builds the packages and tests them as published: publint checks the manifests, each program is started, each export imported, and a file
 * that uses the types compiled.
 */
const PLACE = join(ROOT, 'node_modules/.cache/packages');
const MODULES = join(PLACE, 'node_modules');
/** A strict configuration, which also checks the declarations. */
const USER_SETTINGS = { strict: true, target: 'es2024', module: 'nodenext', types: ['node'], skipLibCheck: false };

const build = runProgram(process.execPath, ['tools/build.ts']);
const problems = build.ok ? await tryPackages() : [build.output];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

async function tryPackages(): Promise<readonly string[]> {
  await rm(PLACE, { recursive: true, force: true });
  const staged: StagedPackage[] = [];
  for (const one of listPackages(ROOT)) staged.push(await stagePackage(one, MODULES));
  const lint = await Promise.all(staged.map(lintPackage));
  return [...lint.flat(), ...staged.flatMap(tryPrograms), ...(await tryExports(staged))];
}

async function lintPackage({ folder, manifest }: StagedPackage): Promise<readonly string[]> {
  const { messages, pkg } = await publint({ pkgDir: folder, pack: false, strict: true });
  return messages.map((message) => `${manifest.name}: ${formatMessage(message, pkg, { color: false })}`);
}

/** Runs the file itself, as a shell does, to test its first line and its mode. */
function tryPrograms({ folder, manifest }: StagedPackage): readonly string[] {
  return Object.entries(manifest.bin ?? {}).flatMap(([name, file]) => {
    const run = runProgram(join(folder, file), ['--help'], PLACE);
    return run.ok && run.output.includes(name) ? [] : [`${manifest.name}: \`${name} --help\` fails: ${run.output}`];
  });
}

async function tryExports(staged: readonly StagedPackage[]): Promise<readonly string[]> {
  const specifiers = staged.flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {})
      .filter((path) => !path.endsWith('.json'))
      .map((path) => `${manifest.name}${path.slice(1)}`),
  );
  const lines = specifiers.map((specifier, index) => `import * as module${index} from '${specifier}';`);
  const names = specifiers.map((_, index) => `module${index}`).join(', ');
  await writeFile(join(PLACE, 'user.mts'), `${lines.join('\n')}\nexport const modules = [${names}];\n`);
  await mkdir(join(MODULES, '@types'), { recursive: true });
  await symlink(await realpath(join(ROOT, 'node_modules/@types/node')), join(MODULES, '@types/node'));
  await writeFile(
    join(PLACE, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: USER_SETTINGS, files: ['user.mts'] }),
  );
  const compiled = runProgram('tsc', ['-p', PLACE]);
  if (!compiled.ok) return [`the types of the packages do not compile: ${compiled.output}`];
  const run = runProgram(process.execPath, ['user.mjs'], PLACE);
  return run.ok ? [] : [`the packages cannot be imported: ${run.output}`];
}
