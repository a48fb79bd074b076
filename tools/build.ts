import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundlePackage } from './bundle-package.ts';
import { listFiles } from './list-files.ts';
import { listPackages, type WorkspacePackage } from './packages/package-list.ts';
import { ROOT, runProgram } from './run-program.ts';

/**
 * `pnpm build`: gives every package a `dist` that can be published. In addition to the compiler's output, it copies files that sources open
 * beside themselves (the migrations), makes programs executable, and removes output of deleted sources. Programs and libraries whose start
 * time matters are bundled into a few files.
 */
const BUNDLED: readonly string[] = ['@postrider/cli', '@postrider/sdk'];
const packages = listPackages(ROOT);
// The compiler takes its record as proof that its output exists, even after someone removed the folder.
for (const { folder } of packages)
  if (!existsSync(join(folder, 'dist'))) rmSync(join(folder, 'tsconfig.tsbuildinfo'), { force: true });
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

/** The path in `dist` of a source file. Declaration sources are not copied: they describe globals that every runtime has. */
function productsOf(file: string): readonly string[] {
  if (file.endsWith('.d.ts')) return [];
  if (!file.endsWith('.ts')) return [file];
  const stem = file.slice(0, -'.ts'.length);
  return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`];
}
