/** Runs when it is called, unless it did so a short while ago: for warnings about repeated failures. */
export function atMostEvery<T extends readonly unknown[]>(intervalMs: number, act: (...given: T) => void) {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (...given: T) => {
    const nowMs = performance.now();
    if (nowMs < lastMs + intervalMs) return;
    lastMs = nowMs;
    act(...given);
  };
}
