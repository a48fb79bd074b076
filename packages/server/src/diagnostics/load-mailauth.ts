import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const require = createRequire(import.meta.url);

/** The two that load most of its parsers and schemas; each takes about 60 ms. */
const HEAVY_MODULES = ['mailauth/lib/dkim/verify', 'mailauth/lib/bimi'];

/**
 * Loaded on first use: otherwise every start would take a tenth of a second longer. Any caller may trigger that use, so
 * the largest modules are loaded in separate ticks of the event loop.
 */
export async function loadMailauth() {
  for (const name of HEAVY_MODULES) {
    require(name);
    // An immediate would run before connections are polled.
    await sleep(1);
  }
  return await import('mailauth');
}
