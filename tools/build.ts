import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { listPackages, type WorkspacePackage } from './packages/package-list.ts';
import { ROOT, runProgram } from './run-program.ts';

/**
 * `pnpm build`: gives every package a `dist` that can be published. Beside what the compiler writes that is the files which sources open
 * next to themselves (the migrations), programs that can be executed, and nothing left over of sources that are gone.
 */
const packages = listPackages(ROOT);
const compiled = runProgram('tsc', ['-b', ...packages.map(({ folder }) => folder)]);
if (compiled.ok) for (const one of packages) completeDist(one);
else console.error(compiled.output);
process.exitCode = compiled.ok ? 0 : 1;

function completeDist({ folder, manifest }: WorkspacePackage): void {
  const source = join(folder, 'src');
  const dist = join(folder, 'dist');
  const expected = new Set(listFiles(source).flatMap(productsOf));
  for (const file of listFiles(dist)) if (!expected.has(file)) rmSync(join(dist, file));
  for (const file of listFiles(source).filter((name) => !name.endsWith('.ts'))) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    copyFileSync(join(source, file), join(dist, file));
  }
  for (const program of Object.values(manifest.publishConfig.bin ?? {})) chmodSync(join(folder, program), 0o755);
}

/** What a source file becomes in `dist`. Declarations are not copied: they describe what every runtime has by itself. */
function productsOf(file: string): readonly string[] {
  if (file.endsWith('.d.ts')) return [];
  if (!file.endsWith('.ts')) return [file];
  const stem = file.slice(0, -'.ts'.length);
  return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`];
}

function listFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
