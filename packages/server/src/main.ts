#!/usr/bin/env node
import { boundHeapGrowth } from './heap.ts';
import { boundMalloc } from './malloc.ts';

/** Leftovers of a failed command, such as a connection to an unresponsive database, must not keep the process alive. */
const LEAVE_AFTER_MS = 2_000;

const [command = 'start'] = process.argv.slice(2);
// Called before anything else is loaded, because it starts the program again.
if (command === 'start' || command.startsWith('-')) boundMalloc(process.env);
boundHeapGrowth();

if (command === 'serve' && process.send !== undefined) {
  const { runSupervisedProcess } = await import('./commands/supervised-process.ts');
  runSupervisedProcess(process.env);
} else {
  const { runServer } = await import('./commands/run-server.ts');
  process.exitCode = await runServer(process.argv.slice(2), {
    environment: process.env,
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
    progress: (text) => void process.stderr.write(`  ${text} …\n`),
  });
  if (process.exitCode !== 0) setTimeout(() => process.exit(), LEAVE_AFTER_MS).unref();
}
