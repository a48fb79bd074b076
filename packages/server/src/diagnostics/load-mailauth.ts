import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const require = createRequire(import.meta.url);

/** The two that bring most of its parsers and schemas; each takes some 60 ms to load. */
const HEAVY_MODULES = ['mailauth/lib/dkim/verify', 'mailauth/lib/bimi'];

/**
 * Loads it at the first use: every start would be slower by a tenth of a second. Anyone may make that use, so the largest modules are loaded
 * in turns of the event loop of their own.
 */
export async function loadMailauth() {
  for (const name of HEAVY_MODULES) {
    require(name);
    // An immediate would run before connections are looked at.
    await sleep(1);
  }
  return await import('mailauth');
}
