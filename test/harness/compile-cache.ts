import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For processes that tests start: most of their start time is compiling the sources, which are the same for all. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'postrider-compile-cache') };
