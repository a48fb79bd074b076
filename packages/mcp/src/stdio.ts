#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const { env } = process;
// A client starts the program for each of its own starts, and waits. The compile cache is in the user's own folder: in a shared one others
// could put code there.
const caches = env['XDG_CACHE_HOME'] || (env['HOME'] ? join(env['HOME'], '.cache') : null);
if (caches !== null && env['NODE_COMPILE_CACHE'] === undefined) enableCompileCache(join(caches, 'postrider'));

// Only now, so that the modules come out of the cache.
const { runStdio } = await import('./run-stdio.ts');
process.exitCode = await runStdio({ argv: process.argv.slice(2), env, cwd: process.cwd() });
