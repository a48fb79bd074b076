#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { EXIT_CODES } from './exit-codes.ts';
import { readVersion } from './version.ts';

const { stdout, stderr, env } = process;
// The compile cache is in the user's own folder: in a shared one, other users could plant code.
const caches = env['XDG_CACHE_HOME'] || (env['HOME'] ? join(env['HOME'], '.cache') : null);
if (caches !== null && env['NODE_COMPILE_CACHE'] === undefined) enableCompileCache(join(caches, 'postrider'));

const interruption = new AbortController();
// Once: a second Ctrl-C ends the process immediately.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => interruption.abort(new Error('interrupted')));
}
// A reader that closes the pipe early (`| head`) is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = EXIT_CODES.unexpected;
  });
}

// Not process.exit(): written output may not be flushed to a pipe yet.
process.exitCode = await run(process.argv.slice(2));

async function run(argv: readonly string[]): Promise<number> {
  // Installers and shells run this often, and it needs none of the commands.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    stdout.write(`${readVersion()}\n`);
    return EXIT_CODES.done;
  }
  // Imported after the cache is enabled, so that the modules come from the cache.
  const { runCli } = await import('./run-cli.ts');
  const io = { stdout, stderr, env, cwd: process.cwd(), signal: interruption.signal };
  return await runCli(argv, {
    ...io,
    // Opened on first use: it takes some milliseconds, and most commands do not need it.
    get stdin() {
      return process.stdin;
    },
  });
}
