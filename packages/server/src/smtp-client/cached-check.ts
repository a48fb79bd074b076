import type { Transport } from './transport.ts';

type CheckResult = Awaited<ReturnType<Transport['check']>>;

// Readiness probes come every few seconds from several clients; other operators' servers need not see each of them.
const CHECK_KEPT_MS = 10_000;

/** Caches the last result for ten seconds; concurrent callers share one check. */
export function cacheCheck(look: () => Promise<CheckResult>): () => Promise<CheckResult> {
  let last: { readonly result: Promise<CheckResult>; readonly atMs: number } | null = null;
  return () => {
    const nowMs = performance.now();
    if (last === null || nowMs - last.atMs >= CHECK_KEPT_MS) last = { result: look(), atMs: nowMs };
    return last.result;
  };
}
