/** A counting semaphore that serves callers in the order in which they acquire it. */
export interface Semaphore {
  /** Resolves with a function that releases the permits. A weight above the limit counts as the limit, so that it runs alone. */
  acquire(weight?: number): Promise<() => void>;
}

export function createSemaphore(limit: number): Semaphore {
  const waiting: { readonly weight: number; readonly start: () => void }[] = [];
  let acquired = 0;

  function startWaiting(): void {
    for (let first = waiting[0]; first !== undefined && acquired + first.weight <= limit; first = waiting[0]) {
      waiting.shift();
      acquired += first.weight;
      first.start();
    }
  }

  return {
    acquire: (weight = 1) =>
      new Promise((resolve) => {
        const permits = Math.min(weight, limit);
        const release = () => {
          acquired -= permits;
          startWaiting();
        };
        waiting.push({ weight: permits, start: () => resolve(release) });
        startWaiting();
      }),
  };
}
