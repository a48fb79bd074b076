import type { Clock } from '../clock.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { OutboundResult } from '../outbound/outbound-result.ts';
import { createExpiringSet } from './expiring-set.ts';
import { readStsPolicy, readStsRecord, type StsPolicy } from './mta-sts-policy.ts';

export interface MtaStsOptions {
  readonly dns: DnsResolver;
  readonly http: OutboundClient;
  readonly clock: Clock;
  /** 443, except in tests. */
  readonly port?: number;
}

export interface MtaSts {
  /** The policy in effect for a domain's mail, or null if there is none. Never rejects. */
  policyOf(domain: string): Promise<StsPolicy | null>;
}

interface Kept {
  readonly policy: StsPolicy;
  readonly id: string;
  readonly fetchedAtMs: number;
}

/** RFC 8461, section 3.2 suggests 64 KB. */
const MAX_POLICY_BYTES = 65_536;
const MAX_KEPT = 5_000;
/** Section 3.3: after a failure, the same version is not fetched again for five minutes. */
const FAILURE_KEPT_MS = 300_000;

/**
 * Finds the MTA-STS policies of domains (RFC 8461) and caches them for their max_age. A cached policy stays in effect
 * when its announcement disappears or a newer one cannot be fetched: an attacker who can suppress DNS responses must not
 * be able to remove the protection.
 */
export function createMtaSts({ dns, http, clock, port = 443 }: MtaStsOptions): MtaSts {
  const kept = new Map<string, Kept>();
  const failed = createExpiringSet(FAILURE_KEPT_MS, MAX_KEPT, clock.now);
  const underWay = new Map<string, Promise<StsPolicy | null>>();

  async function policyOf(domain: string): Promise<StsPolicy | null> {
    const announced = await dns.txt(`_mta-sts.${domain}`);
    const id = announced.kind === 'found' ? readStsRecord(announced.values) : null;
    const known = recall(domain);
    if (id === null || failed.has(`${domain} ${id}`)) return known?.policy ?? null;
    if (known === null || known.id !== id) return (await fetchOnce(domain, id)) ?? known?.policy ?? null;
    // Refreshed early, so that the policy does not expire during an hour in which it cannot be fetched.
    if (clock.now().getTime() >= known.fetchedAtMs + known.policy.maxAgeSeconds * 500) void fetchOnce(domain, id);
    return known.policy;
  }

  function recall(domain: string): Kept | null {
    const known = kept.get(domain);
    if (known === undefined) return null;
    if (clock.now().getTime() < known.fetchedAtMs + known.policy.maxAgeSeconds * 1_000) return known;
    kept.delete(domain);
    return null;
  }

  function fetchOnce(domain: string, id: string): Promise<StsPolicy | null> {
    const key = `${domain} ${id}`;
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const fetching = fetchPolicy(domain, id).finally(() => underWay.delete(key));
    underWay.set(key, fetching);
    return fetching;
  }

  async function fetchPolicy(domain: string, id: string): Promise<StsPolicy | null> {
    const origin = `https://mta-sts.${domain}${port === 443 ? '' : `:${port}`}`;
    const response = await http.request({
      url: `${origin}/.well-known/mta-sts.txt`,
      method: 'GET',
      headers: { accept: 'text/plain' },
      maxBytes: MAX_POLICY_BYTES,
    });
    const policy = readResponse(response);
    if (policy === null) failed.add(`${domain} ${id}`);
    else keep(domain, { policy, id, fetchedAtMs: clock.now().getTime() });
    return policy;
  }

  function keep(domain: string, entry: Kept): void {
    kept.delete(domain);
    kept.set(domain, entry);
    // A Map keeps insertion order, so the first key is the oldest.
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  }

  return { policyOf };
}

/** Section 3.3: only a plain 200 counts; redirects are not followed. */
function readResponse(response: OutboundResult): StsPolicy | null {
  if (response.kind !== 'responded' || response.status !== 200 || response.truncated) return null;
  const mediaType = (response.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  return mediaType === 'text/plain' ? readStsPolicy(response.body.toString('utf8')) : null;
}
