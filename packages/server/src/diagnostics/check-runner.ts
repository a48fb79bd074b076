import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import { createCachingResolver } from '../dns/caching-resolver.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { wrapResolver } from '../dns/wrap-resolver.ts';
import { ProblemError } from '../problem.ts';
import { shareOf } from '../process-share.ts';
import { type BoundedLookups, type LookupBounds, withinBounds } from './bounded-lookups.ts';
import { queryPublicNames } from './public-names.ts';

/** The largest legitimate check, a message with links to ten domains, needs about a hundred lookups. */
export const CHECK_BOUNDS: LookupBounds = { questions: 250, timeMs: LIMITS.toolSeconds * 1_000 };

/**
 * Runs the public checks. Each caller has a rate limit, but an attacker may use many addresses, so this limits all callers
 * together.
 */
export interface CheckRunner {
  /** With cached responses, for any name. @throws ProblemError if the limit for all checks together is reached */
  run<T>(work: (lookups: BoundedLookups) => Promise<T>): Promise<T>;
  /**
   * The same with responses that are at most a few seconds old, because a user who checks a record has often just
   * changed it. In production only for public names.
   */
  runRecent<T>(work: (lookups: BoundedLookups) => Promise<T>): Promise<T>;
}

/** The limits of each process of a server. One check must always be possible. */
export function checkLimitsOf(processes: number): Pick<CheckRunnerOptions, 'maxUnderWay' | 'questionsPerMinute'> {
  return {
    maxUnderWay: shareOf(LIMITS.toolChecksUnderWay, processes),
    questionsPerMinute: shareOf(LIMITS.toolQuestionsPerMinute, processes, CHECK_BOUNDS.questions),
  };
}

export interface CheckRunnerOptions {
  readonly dns: DnsResolver;
  readonly clock: Clock;
  readonly isPublicOnly: boolean;
  readonly maxUnderWay?: number;
  readonly questionsPerMinute?: number;
}

const MINUTE_MS = 60_000;
const MEMORY_MS = LIMITS.toolMemorySeconds * 1_000;

export function createCheckRunner(options: CheckRunnerOptions): CheckRunner {
  const { clock, isPublicOnly } = options;
  const { maxUnderWay = LIMITS.toolChecksUnderWay, questionsPerMinute = LIMITS.toolQuestionsPerMinute } = options;
  let underWay = 0;
  let minute = { endsAtMs: 0, questions: 0 };
  let recent: { readonly dns: DnsResolver; readonly untilMs: number } | null = null;
  const dns = wrapResolver(options.dns, (ask) => (name) => {
    minute.questions += 1;
    return ask(name);
  });

  function recentView(): DnsResolver {
    const nowMs = clock.now().getTime();
    if (recent === null || nowMs >= recent.untilMs) {
      const fresh = dns.fresh();
      const asked = createCachingResolver(isPublicOnly ? queryPublicNames(fresh) : fresh);
      recent = { dns: asked, untilMs: nowMs + MEMORY_MS };
    }
    return recent.dns;
  }

  function assertRoom(): void {
    const nowMs = clock.now().getTime();
    if (nowMs >= minute.endsAtMs) minute = { endsAtMs: nowMs + MINUTE_MS, questions: 0 };
    const isOutOfQuestions = minute.questions >= questionsPerMinute;
    if (!isOutOfQuestions && underWay < maxUnderWay) return;
    const seconds = isOutOfQuestions ? Math.ceil((minute.endsAtMs - nowMs) / 1_000) : 1;
    throw new ProblemError('rate_limited', {
      detail: 'This server has reached its limit of checks for all callers together.',
      fix: `Try again in ${seconds} seconds.`,
      headers: { 'retry-after': String(seconds) },
    });
  }

  async function runWith<T>(view: () => DnsResolver, work: (lookups: BoundedLookups) => Promise<T>): Promise<T> {
    assertRoom();
    underWay += 1;
    try {
      return await withinBounds(view(), CHECK_BOUNDS, work);
    } finally {
      underWay -= 1;
    }
  }

  return {
    run: (work) => runWith(() => dns, work),
    runRecent: (work) => runWith(recentView, work),
  };
}
