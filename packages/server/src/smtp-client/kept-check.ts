import type { Transport } from './transport.ts';

type CheckResult = Awaited<ReturnType<Transport['check']>>;

// A readiness probe asks every few seconds, from several places at once; other people's servers need not hear of each.
const CHECK_KEPT_MS = 10_000;

/** Answers from the last look for ten seconds, and lets callers at the same time share one. */
export function keepCheck(look: () => Promise<CheckResult>): () => Promise<CheckResult> {
  let last: { readonly result: Promise<CheckResult>; readonly atMs: number } | null = null;
  return () => {
    const nowMs = performance.now();
    if (last === null || nowMs - last.atMs >= CHECK_KEPT_MS) last = { result: look(), atMs: nowMs };
    return last.result;
  };
}
