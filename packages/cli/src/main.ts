#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { EXIT_CODES } from './exit-codes.ts';

const { stdout, stderr, stdin, env } = process;
// What Node has compiled is kept for the next run, in the user's own folder: in a shared one others could put code there.
const caches = env['XDG_CACHE_HOME'] || (env['HOME'] ? join(env['HOME'], '.cache') : null);
if (caches !== null && env['NODE_COMPILE_CACHE'] === undefined) enableCompileCache(join(caches, 'postrider'));
// Only now, so that the modules come out of it.
const { runCli } = await import('./run-cli.ts');

const interruption = new AbortController();
// Once: a second Ctrl-C ends the process at once, as if nobody listened.
process.once('SIGINT', () => interruption.abort(new Error('interrupted')));
// A reader that has seen enough (`| head`) is no failure of the command.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = EXIT_CODES.unexpected;
  });
}

// Set and not called: what was written may still be on its way into a pipe.
process.exitCode = await runCli(process.argv.slice(2), {
  stdout,
  stderr,
  stdin,
  env,
  cwd: process.cwd(),
  signal: interruption.signal,
});
