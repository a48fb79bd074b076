#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { EXIT_CODES } from './exit-codes.ts';
import { readVersion } from './version.ts';

const { stdout, stderr, env } = process;
// What Node has compiled is kept for the next run, in the user's own folder: in a shared one others could put code there.
const caches = env['XDG_CACHE_HOME'] || (env['HOME'] ? join(env['HOME'], '.cache') : null);
if (caches !== null && env['NODE_COMPILE_CACHE'] === undefined) enableCompileCache(join(caches, 'postrider'));

const interruption = new AbortController();
// Once: a second Ctrl-C ends the process at once, as if nobody listened.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => interruption.abort(new Error('interrupted')));
}
// A reader that has seen enough (`| head`) is no failure of the command.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = EXIT_CODES.unexpected;
  });
}

// Set and not called: what was written may still be on its way into a pipe.
process.exitCode = await run(process.argv.slice(2));

async function run(argv: readonly string[]): Promise<number> {
  // Asked by installers and shells, and known without the commands.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    stdout.write(`${readVersion()}\n`);
    return EXIT_CODES.done;
  }
  // Only now, so that the modules come out of the cache.
  const { runCli } = await import('./run-cli.ts');
  const io = { stdout, stderr, env, cwd: process.cwd(), signal: interruption.signal };
  return await runCli(argv, {
    ...io,
    // Made where it is looked at, which takes some milliseconds and most commands never do.
    get stdin() {
      return process.stdin;
    },
  });
}
