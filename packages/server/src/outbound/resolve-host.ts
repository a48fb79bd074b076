import { Resolver } from 'node:dns/promises';

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a host name. @throws where there is none, or nobody answers. */
export type ResolveHost = (hostname: string) => Promise<readonly HostAddress[]>;

const TRY_TIMEOUT_MS = 2_000;
const TRIES = 2;
/** RFC 6761 §6.3: these names are the machine itself, and no server is asked for them. */
const LOOPBACK_NAME = /^(?:.+\.)?localhost\.?$/i;

/**
 * Looks names up by the DNS alone. Not by `dns.lookup`: that waits for the operating system on one of four threads, and a few names whose
 * servers never answer would hold up everything else the threads are for, signing among it.
 * @param servers `address` or `address:port`; null for the system's.
 */
export function createHostResolver(servers: readonly string[] | null): ResolveHost {
  const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
  if (servers !== null) resolver.setServers(servers);
  return async (hostname) => {
    if (LOOPBACK_NAME.test(hostname)) return LOOPBACK;
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
    if (found.length > 0) return found;
    throw four.status === 'rejected' ? four.reason : new Error(`${hostname} has no address`);
  };
}

const LOOPBACK: readonly HostAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** A name with addresses of one family alone is usual: the other question then fails. */
function addressesOf(result: PromiseSettledResult<string[]>, family: 4 | 6): readonly HostAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}
