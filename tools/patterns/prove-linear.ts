import type { checkSync } from 'recheck';

type Check = typeof checkSync;

/** The time limit of one proof: a pattern that takes longer is simplified or becomes an exception. */
const TIMEOUT_MS = 30_000;

let loaded: Check | null = null;

/** Null if the pattern provably runs in linear time; otherwise the reason why not. */
export async function proveLinear(source: string, flags: string): Promise<string | null> {
  const check = await loadCheck();
  const result = check(source, flags, { timeout: TIMEOUT_MS });
  if (result.status === 'safe') return null;
  if (result.status === 'unknown') return `cannot be judged (${result.error.kind})`;
  return `takes ${result.complexity.summary} time, for example with ${result.attack.pattern.slice(0, 200)}`;
}

/** The pure JavaScript build: the native ones are not installed. */
async function loadCheck(): Promise<Check> {
  process.env['RECHECK_BACKEND'] = 'pure';
  loaded ??= (await import('recheck')).checkSync;
  return loaded;
}
