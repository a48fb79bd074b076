import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { ROOT, runProgram } from './run-program.ts';

/**
 * `pnpm bundle [file]`: the command line as one file, `dist/postrider.mjs` unless another is named, that Node runs wherever it lies. Fails where
 * the file is larger than it may be, or does not start.
 * undici is not in it: it would be more than half of the file, and the program has a transport of its own.
 */
const LARGEST_BYTES = 1_000_000;
const CLI = join(ROOT, 'packages/cli');
/** What the program begins with. */
const EARLY_BUILTINS: readonly string[] = ['node:module', 'node:path'];
/** What `main.ts` imports once the cache of compiled code is set up. */
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
    // React's reconciler as it is in production: the other one is several times as large, and slower.
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    // Wrapped like that, every module would be compiled at the start, whether it runs or not.
    optimization: { pifeForModuleWrappers: false },
    plugins: [lateBuiltins(), ...plugins],
    // One file has nothing to fall back on, so whatever the bundler doubts is a failure.
    onLog: (_level, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  await build.close();
  return toAscii(output[0].code);
}

/** Text beyond Latin-1, were it one character, has V8 keep and read the whole file in twice the bytes. All of it stands in texts and patterns. */
function toAscii(code: string): string {
  return code.replace(/[^\t\r\n\x20-\x7e]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/**
 * The program as a text in the file, and not as its code: Node compiles the file that it is started with before anything could tell it to keep what
 * it has compiled, which takes longer than everything else that a command does. A text is only skipped, and as a module of its own what it holds
 * comes out of the cache.
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
 * In one file every import of Node's own modules stands at the top, whoever needs it, and to import `node:http` alone takes as long as a whole
 * command: all else comes where the code that needs it runs.
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

/** Modules that cannot be in one file as they are. */
function replacedModules(version: string): Plugin {
  return {
    name: 'replaced-modules',
    load: (id) => {
      // There is no manifest beside the file to read the version from.
      if (id === join(CLI, 'src/version.ts')) return `export const readVersion = () => ${JSON.stringify(version)};`;
      // For those who develop with ink; it imports a package that we have not.
      return id.endsWith('/ink/build/devtools.js') ? 'export {};' : null;
    },
  };
}

/** What is wrong with the three commands that need no server; empty where they do as the sources do. */
function startsRight(version: string): readonly string[] {
  const help = run('--help');
  const told = run('--version');
  const catalogue = run('commands', '--json');
  return [
    ...(help.includes('Usage: postrider') && help.includes('API’s') ? [] : [`--help answers ${help}`]),
    ...(told.includes(version) ? [] : [`--version answers ${told}`]),
    ...(isCatalogue(catalogue) ? [] : [`commands --json answers ${catalogue.slice(0, 500)}`]),
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
