import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For the environment of processes that tests start: compiling the sources is most of what a start costs them, and the same for all. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'postrider-compile-cache') };
