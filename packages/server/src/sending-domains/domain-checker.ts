import { claimDueDomains } from '../db/queries/domains.ts';
import { type CheckedDomain, type CheckOptions, checkDomain } from './check-domain.ts';
import type { DomainReference, DomainTools } from './domain-tools.ts';

/** Looks domains up: one that is asked for, and all that are due. */
export interface DomainChecker {
  /** Now, past every cache. Null where the domain is not there, or removed. */
  check(domain: DomainReference, options: Omit<CheckOptions, 'dns'>): Promise<CheckedDomain | null>;
  /** Now, and nobody waits for it. What goes wrong is tried again by the clock. */
  checkSoon(domain: DomainReference, actor: string): void;
  /** Those whose time has come, of all accounts. Any number of processes may do so at once. */
  checkDue(): Promise<void>;
  /** No further ones are begun; answers when those that nobody waits for are done. */
  stop(): Promise<void>;
}

const AT_ONCE = 10;
/** Longer than any look-up takes, which has a bound of its own: what a dead process had taken is due again after that. */
const LEASE_MS = 5 * 60_000;

export function createDomainChecker(
  tools: DomainTools,
  onError: (error: unknown, what: string) => void,
): DomainChecker {
  const running = new Set<Promise<unknown>>();
  let stopping = false;
  let round: Promise<void> | null = null;

  async function checkQuietly(domain: DomainReference, options: CheckOptions): Promise<void> {
    await checkDomain(tools, domain, options).catch((error: unknown) => onError(error, 'looking up a domain'));
  }

  function track(work: Promise<unknown>): void {
    running.add(work);
    void work.finally(() => running.delete(work));
  }

  /** A place that is free is taken at once: domains whose servers do not answer must not hold up the rest. */
  async function checkAllDue(): Promise<void> {
    const active = new Set<Promise<void>>();
    for (;;) {
      for (const domain of await claimDue(AT_ONCE - active.size)) {
        const work = checkQuietly(domain, { dns: tools.dns, actor: 'system', restarts: false });
        active.add(work);
        track(work.finally(() => active.delete(work)));
      }
      if (active.size === 0) return;
      await Promise.race(active);
    }
  }

  async function claimDue(limit: number): Promise<readonly DomainReference[]> {
    return stopping ? [] : await claimDueDomains(tools.sql, tools.clock.now(), { limit, leaseMs: LEASE_MS });
  }

  return {
    check: (domain, options) => checkDomain(tools, domain, { ...options, dns: tools.dns.fresh() }),
    checkSoon(domain, actor) {
      if (!stopping) track(checkQuietly(domain, { dns: tools.dns.fresh(), actor, restarts: false }));
    },
    // A round of many domains outlasts the minute after which the next one is asked for.
    checkDue: () => {
      round ??= checkAllDue().finally(() => {
        round = null;
      });
      return round;
    },
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
  };
}
