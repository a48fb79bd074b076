export type TimelyOutcome<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'late' };

export interface TimeLimits {
  readonly limitMs: number;
  /** How much longer to wait for a commit that has already started. */
  readonly graceMs: number;
  /** Aborted when no one waits for the reply any more. */
  readonly gone: AbortSignal;
}

/**
 * Runs work whose result is useful to a caller only within a time limit. The work must call `claim` before its
 * irreversible step, and `claim` returns false once the limit is over or the caller has gone. So `late` means that
 * nothing was done or will be done, except for a commit whose result did not arrive within the grace period.
 */
export async function inTime<T>(
  limits: TimeLimits,
  work: (claim: () => boolean) => Promise<T>,
): Promise<TimelyOutcome<T>> {
  let state: 'open' | 'claimed' | 'withdrawn' = 'open';
  const { promise: late, resolve: resolveLate } = Promise.withResolvers<TimelyOutcome<T>>();
  const timers: NodeJS.Timeout[] = [];
  const withdraw = () => {
    if (state === 'claimed') timers.push(setTimeout(() => resolveLate({ kind: 'late' }), limits.graceMs));
    else {
      state = 'withdrawn';
      resolveLate({ kind: 'late' });
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
    done.catch(() => undefined); // No one needs the result of late work.
  }
}
