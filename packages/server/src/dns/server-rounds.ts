import { createSemaphore } from '../semaphore.ts';
import type { DnsQuestion } from './dns-message.ts';
import type { DnsServerAddress } from './dns-servers.ts';
import { queryServer } from './query-server.ts';
import { type DnsStep, readStep } from './read-step.ts';

export interface RoundOptions {
  readonly servers: readonly DnsServerAddress[];
  readonly timeoutMs: number;
  readonly tries: number;
  readonly nowMs: () => number;
}

/** How long a server that did not respond is queried after the others. */
const AVOID_MS = 30_000;
/** Each query has its own socket, and other parts of the process need sockets too. */
const MAX_AT_ONCE = 500;

/**
 * Queries servers one after another until one has a result, in `tries` rounds. A server that responded with a failure is
 * not queried again in the next round, because the response would be the same.
 */
export function createRounds({ servers, timeoutMs, tries, nowMs }: RoundOptions) {
  const semaphore = createSemaphore(MAX_AT_ONCE);
  const silentSince = new Map<DnsServerAddress, number>();
  const isAvoided = (server: DnsServerAddress) => nowMs() - (silentSince.get(server) ?? -Infinity) < AVOID_MS;

  return async (question: DnsQuestion): Promise<DnsStep> => {
    if (servers.length === 0) return { kind: 'failed', reason: 'no DNS server is configured' };
    const reasons = new Map<DnsServerAddress, string>();
    let left = [...servers].sort((one, other) => Number(isAvoided(one)) - Number(isAvoided(other)));
    for (let round = 1; round <= tries && left.length > 0; round += 1) {
      for (const server of left) {
        const release = await semaphore.acquire();
        const response = await queryServer(server, question, timeoutMs);
        release();
        if (response.kind === 'unreachable') silentSince.set(server, nowMs());
        else silentSince.delete(server);
        const step = response.kind === 'reply' ? readStep(question, response.packet, response.rcode) : response;
        if (step.kind !== 'failed' && step.kind !== 'unreachable' && step.kind !== 'senseless') return step;
        reasons.set(server, step.reason);
        if (step.kind !== 'unreachable') left = left.filter((other) => other !== server);
      }
    }
    const failures = [...reasons].map(
      ([{ host, port }, reason]) => `${host}${port === 53 ? '' : `:${port}`} ${reason}`,
    );
    return { kind: 'failed', reason: failures.join('; ') };
  };
}
