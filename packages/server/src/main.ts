#!/usr/bin/env node
import { createProgram } from './commands/program.ts';
import { reportError } from './commands/start-error.ts';
import { boundHeapGrowth } from './heap.ts';

boundHeapGrowth();

const program = createProgram({
  environment: process.env,
  write: (text) => void process.stdout.write(text),
  progress: (text) => void process.stderr.write(`  ${text} …\n`),
});
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportError(error, (text) => void process.stderr.write(text));
}
