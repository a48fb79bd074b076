import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { ROOT, runProgram } from './run-program.ts';

/**
 * `pnpm bundle [file]`: the command line as one file for Node, by default `dist/postrider.mjs`. Fails if the file is too large or does not
 * start. It excludes undici, which would be more than half of the file: the bundle uses the fetch transport instead.
 */
const LARGEST_BYTES = 1_000_000;
const CLI = join(ROOT, 'packages/cli');
/** The modules that the first lines of the program import. */
const EARLY_BUILTINS: readonly string[] = ['node:module', 'node:path'];
/** What `main.ts` imports after it has enabled the compile cache. */
const PROGRAM = join(CLI, 'src/run-cli.ts');
const FILE = resolve(process.argv[2] ?? join(ROOT, 'dist/postrider.mjs'));

const manifest: { readonly version: string } = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8'));
const program = await bundle(PROGRAM, [replacedModules(manifest.version)]);
const code = await bundle(join(CLI, 'src/main.ts'), [embeddedProgram(program), replacedModules(manifest.version)]);
mkdirSync(dirname(FILE), { recursive: true });
writeFileSync(FILE, code, { mode: 0o755 });

const bytes = Buffer.byteLength(code);
const failures = [
  ...(bytes > LARGEST_BYTES ? [`it is larger than ${LARGEST_BYTES} bytes`] : []),
  ...startsRight(manifest.version),
];
console.log(`${FILE}: ${bytes} bytes`);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

async function bundle(input: string, plugins: readonly Plugin[]): Promise<string> {
  const build = await rolldown({
    input,
    cwd: ROOT,
    platform: 'node',
    resolve: { alias: { '#transport': join(ROOT, 'packages/sdk/src/transports/fetch.ts') } },
    // The production build of React's reconciler: the development build is several times as large, and slower.
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    // Rolldown's wrapper would make V8 compile every module at the start, whether it runs or not.
    optimization: { pifeForModuleWrappers: false },
    plugins: [lateBuiltins(), ...plugins],
    // A single file has no fallback, so every bundler warning is an error.
    onLog: (_level, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  await build.close();
  return toAscii(output[0].code);
}

/** Escapes non-ASCII text: one character beyond Latin-1 makes V8 store the whole file with two bytes per character. */
function toAscii(code: string): string {
  return code.replace(/[^\t\r\n\x20-\x7e]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/**
 * Embeds the program as a string that is loaded as a module. Node compiles its entry file before code in it can enable the compile cache,
 * and that takes longer than the rest of a command. A string is skipped, and the module's compiled code comes from the cache.
 */
function embeddedProgram(source: string): Plugin {
  const load = `import { registerHooks } from 'node:module';
    const program = import.meta.url + '?program';
    const hooks = registerHooks({
      load: (url, context, next) =>
        url === program ? { format: 'module', source: ${JSON.stringify(source)}, shortCircuit: true } : next(url, context),
    });
    export const { runCli } = await import(program);
    hooks.deregister();`;
  return { name: 'embedded-program', load: (id) => (id === PROGRAM ? load : null) };
}

/**
 * Imports Node's built-in modules where they are used. A bundle would import all of them at the top, and `node:http` alone takes as long to
 * load as a whole command.
 */
function lateBuiltins(): Plugin {
  const mark = '\0builtin:';
  return {
    name: 'late-builtins',
    resolveId: {
      order: 'pre',
      handler: (id) => {
        const name = id.startsWith('node:') ? id : `node:${id}`;
        return isBuiltin(name) && !EARLY_BUILTINS.includes(name) ? `${mark}${name}.cjs` : null;
      },
    },
    load: (id) =>
      id.startsWith(mark)
        ? `module.exports = process.getBuiltinModule('${id.slice(mark.length, -'.cjs'.length)}');`
        : null,
  };
}

/** Replaces modules that cannot be bundled as they are. */
function replacedModules(version: string): Plugin {
  return {
    name: 'replaced-modules',
    load: (id) => {
      // There is no manifest beside the bundle to read the version from.
      if (id === join(CLI, 'src/version.ts')) return `export const readVersion = () => ${JSON.stringify(version)};`;
      // Only for developing with ink; it imports a package that is not installed.
      return id.endsWith('/ink/build/devtools.js') ? 'export {};' : null;
    },
  };
}

/** Runs the three commands that need no server. Returns what differs from the sources' output; empty if nothing does. */
function startsRight(version: string): readonly string[] {
  const help = run('--help');
  const printed = run('--version');
  const catalogue = run('commands', '--json');
  return [
    ...(help.includes('Usage: postrider') && help.includes('API’s') ? [] : [`--help printed ${help}`]),
    ...(printed.includes(version) ? [] : [`--version printed ${printed}`]),
    ...(isCatalogue(catalogue) ? [] : [`commands --json printed ${catalogue.slice(0, 500)}`]),
  ];
}

function run(...args: readonly string[]): string {
  return runProgram(process.execPath, [FILE, ...args]).output;
}

function isCatalogue(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
