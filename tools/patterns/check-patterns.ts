import { BUILT, type PatternException } from './exceptions.ts';
import type { FoundPattern } from './find-patterns.ts';
import { proveLinear } from './prove-linear.ts';

export interface PatternReport {
  /** The problems, one line each; empty if every pattern is proven or a listed exception. */
  readonly faults: readonly string[];
  /** The proven patterns as written, sorted. */
  readonly proven: readonly string[];
}

/** @param known patterns proven earlier */
export async function checkPatterns(
  found: readonly FoundPattern[],
  exceptions: readonly PatternException[],
  known: ReadonlySet<string>,
): Promise<PatternReport> {
  const faults: string[] = [];
  const proven = new Set<string>();
  const used = new Set<PatternException>();
  for (const pattern of found) {
    const exception = exceptions.find((one) => isMeant(one, pattern) && !(one.pattern === BUILT && used.has(one)));
    if (exception !== undefined) used.add(exception);
    else if (!proven.has(pattern.written) && !known.has(pattern.written)) {
      const fault = pattern.isDynamic ? 'is built of parts that are known only when it runs' : await prove(pattern);
      if (fault === null) proven.add(pattern.written);
      else faults.push(`${pattern.file}: ${pattern.written} ${fault}`);
    } else proven.add(pattern.written);
  }
  for (const exception of exceptions) {
    if (!used.has(exception))
      faults.push(`tools/patterns/exceptions.ts: nothing in ${exception.file} is ${exception.pattern}`);
  }
  return { faults, proven: [...proven].sort() };
}

async function prove({ source, flags }: FoundPattern): Promise<string | null> {
  return await proveLinear(source, flags);
}

function isMeant({ file, pattern }: PatternException, found: FoundPattern): boolean {
  return found.file === file && (pattern === 'every pattern' || pattern === (found.isDynamic ? BUILT : found.written));
}
