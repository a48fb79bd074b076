export type TimelyOutcome<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'late' };

export interface TimeLimits {
  readonly limitMs: number;
  /** How long a commit that is already under way is waited for beyond the limit. */
  readonly graceMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

/**
 * Runs work that may be told to a caller only in time. Before what it does can no longer be undone it has to `claim` that; once the limit
 * is over or the caller has gone, it is told no. So `late` means that nothing was done and nothing will be, but for a commit whose
 * outcome did not come back within the grace.
 */
export async function inTime<T>(
  limits: TimeLimits,
  work: (claim: () => boolean) => Promise<T>,
): Promise<TimelyOutcome<T>> {
  let state: 'open' | 'claimed' | 'withdrawn' = 'open';
  const { promise: late, resolve: tellLate } = Promise.withResolvers<TimelyOutcome<T>>();
  const timers: NodeJS.Timeout[] = [];
  const withdraw = () => {
    if (state === 'claimed') timers.push(setTimeout(() => tellLate({ kind: 'late' }), limits.graceMs));
    else {
      state = 'withdrawn';
      tellLate({ kind: 'late' });
    }
  };
  timers.push(setTimeout(withdraw, limits.limitMs));
  limits.gone.addEventListener('abort', withdraw, { once: true });
  if (limits.gone.aborted) withdraw();
  const claim = () => {
    if (state === 'open') state = 'claimed';
    return state === 'claimed';
  };
  const done = work(claim).then((value): TimelyOutcome<T> => ({ kind: 'done', value }));
  try {
    return await Promise.race([done, late]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    limits.gone.removeEventListener('abort', withdraw);
    done.catch(() => undefined); // Nobody is left to hear of it once it was late.
  }
}
