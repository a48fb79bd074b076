#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const { env } = process;
// Clients start this program at each of their own starts, and wait. The compile cache is in the user's own folder: in a shared one, others
// could add code.
const caches = env['XDG_CACHE_HOME'] || (env['HOME'] ? join(env['HOME'], '.cache') : null);
if (caches !== null && env['NODE_COMPILE_CACHE'] === undefined) enableCompileCache(join(caches, 'postrider'));

// Imported after that, so that the modules come from the cache.
const { runStdio } = await import('./run-stdio.ts');
process.exitCode = await runStdio({ argv: process.argv.slice(2), env, cwd: process.cwd() });
