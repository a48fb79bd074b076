import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCES = join(import.meta.dirname, '../../packages/server/src');
/** What threads load for large messages. */
const ENTRIES = ['sending/content/shape-bodies.ts', 'delivery/message-worker.ts', 'templates/template-worker.ts'];

/** The modules that this one loads, itself and others, without those that are imported for their types alone. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm);
  for (const [, specifier = ''] of imports) {
    if (specifier.startsWith('.')) loadedBy(join(dirname(file), specifier), seen);
    else seen.add(specifier);
  }
  return seen;
}

describe('the imports of a thread', () => {
  it.each(ENTRIES)('exclude the whole contract, which needs some 10 MB in each thread: %s', (entry) => {
    const loaded = loadedBy(join(SOURCES, entry));
    expect(loaded.size).toBeGreaterThan(3);
    expect([...loaded]).not.toContain('@postrider/core');
  });
});
