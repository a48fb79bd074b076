import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from '../run-program.ts';

/** The stdio program in one file, and the licenses of the packages in it. */
export interface BundledProgram {
  readonly code: string;
  readonly notices: string;
}

/** Bundles the sources. The SDK uses the fetch transport: undici would be most of the file. */
export async function bundleProgram(): Promise<BundledProgram> {
  const build = await rolldown({
    input: join(ROOT, 'packages/mcp/src/stdio.ts'),
    cwd: ROOT,
    platform: 'node',
    resolve: { alias: { '#transport': join(ROOT, 'packages/sdk/src/transports/fetch.ts') } },
    // A single file has no fallback, so every bundler warning is an error.
    onLog: (_level, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  await build.close();
  const [{ code, moduleIds }] = output;
  return { code, notices: renderNotices(moduleIds) };
}

/** A line for each package, and below them each license text once: most packages have the same one with another name in it. */
function renderNotices(modules: readonly string[]): string {
  const folders = new Set(modules.filter((id) => id.includes('/node_modules/')).map(packageFolder));
  const packages = [...folders].map(readLicense).sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = packages.map(({ name, version, license }) => `${name} ${version} (${license})`);
  const texts = new Set(packages.map(({ text }) => text));
  return `This program contains these packages:\n\n${lines.join('\n')}\n\n${[...texts].join('\n\n')}\n`;
}

function packageFolder(module: string): string {
  let folder = dirname(module.replace(/^\0/, '').replace(/\?.*$/, ''));
  while (!existsSync(join(folder, 'package.json')) || readPackage(folder).name === undefined) folder = dirname(folder);
  return folder;
}

function readLicense(folder: string) {
  const { name = '', version = '', license = 'see below' } = readPackage(folder);
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no license text. Leave it out of the bundle, or add the text.`);
  return { name, version, license, text: readFileSync(join(folder, file), 'utf8').trim() };
}

function readPackage(folder: string): { readonly name?: string; readonly version?: string; readonly license?: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
