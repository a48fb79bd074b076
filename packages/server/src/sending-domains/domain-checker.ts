import { claimDueDomains } from '../db/queries/domains.ts';
import { type CheckedDomain, type CheckOptions, checkDomain } from './check-domain.ts';
import type { DomainReference, DomainTools } from './domain-tools.ts';

/** Checks domains: one on request, and all that are due. */
export interface DomainChecker {
  /** Checks now, bypassing all caches. Returns null if the domain does not exist or was removed. */
  check(domain: DomainReference, options: Omit<CheckOptions, 'dns'>): Promise<CheckedDomain | null>;
  /** Starts a check without waiting for it. If it fails, the scheduled check tries again. */
  checkSoon(domain: DomainReference, actor: string): void;
  /** Checks the domains of all accounts that are due. Any number of processes may call this at once. */
  checkDue(): Promise<void>;
  /** Starts no more checks. Resolves when the background checks are done. */
  stop(): Promise<void>;
}

const AT_ONCE = 10;
/** Longer than any lookup, which has its own time limit. After that, domains claimed by a dead process are due again. */
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

  /** Starts another check as soon as one finishes, so that domains with unresponsive servers do not delay the others. */
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
    // With many domains, a round takes longer than the minute until the next one is requested.
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
