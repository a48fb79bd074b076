#!/usr/bin/env node
import { EXIT_CODES } from './exit-codes.ts';
import { runCli } from './run-cli.ts';

const interruption = new AbortController();
// Once: a second Ctrl-C ends the process at once, as if nobody listened.
process.once('SIGINT', () => interruption.abort(new Error('interrupted')));
// A reader that has seen enough (`| head`) is no failure of the command.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = EXIT_CODES.unexpected;
  });
}

const { stdout, stderr, stdin, env } = process;
// Set and not called: what was written may still be on its way into a pipe.
process.exitCode = await runCli(process.argv.slice(2), {
  stdout,
  stderr,
  stdin,
  env,
  cwd: process.cwd(),
  signal: interruption.signal,
});
