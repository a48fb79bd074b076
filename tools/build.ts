import { chmodSync, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundlePackage } from './bundle-package.ts';
import { listFiles } from './list-files.ts';
import { listPackages, type WorkspacePackage } from './packages/package-list.ts';
import { ROOT, runProgram } from './run-program.ts';

/**
 * `pnpm build`: gives every package a `dist` that can be published. Beside what the compiler writes that is the files which sources open
 * next to themselves (the migrations), programs that can be executed, and nothing left over of sources that are gone. The
 * programs and libraries whose start counts are put together into a few files.
 */
const BUNDLED: readonly string[] = ['@postrider/cli', '@postrider/sdk'];
const packages = listPackages(ROOT);
const compiled = runProgram('tsc', ['-b', ...packages.map(({ folder }) => folder)]);
if (compiled.ok) for (const one of packages) await completeDist(one);
else console.error(compiled.output);
process.exitCode = compiled.ok ? 0 : 1;

async function completeDist(one: WorkspacePackage): Promise<void> {
  const { folder, manifest } = one;
  if (BUNDLED.includes(manifest.name)) await bundlePackage(one);
  else completeModules(folder);
  for (const program of Object.values(manifest.publishConfig.bin ?? {})) chmodSync(join(folder, program), 0o755);
}

function completeModules(folder: string): void {
  const source = join(folder, 'src');
  const dist = join(folder, 'dist');
  const expected = new Set(listFiles(source).flatMap(productsOf));
  for (const file of listFiles(dist)) if (!expected.has(file)) rmSync(join(dist, file));
  for (const file of listFiles(source).filter((name) => !name.endsWith('.ts'))) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    copyFileSync(join(source, file), join(dist, file));
  }
}

/** What a source file becomes in `dist`. Declarations are not copied: they describe what every runtime has by itself. */
function productsOf(file: string): readonly string[] {
  if (file.endsWith('.d.ts')) return [];
  if (!file.endsWith('.ts')) return [file];
  const stem = file.slice(0, -'.ts'.length);
  return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`];
}
