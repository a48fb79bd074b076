import { isIP } from 'node:net';
import type { Classification } from '@postrider/core';
import type { DnsResult, MxRecord } from '../dns/dns-resolver.ts';

/** A server that accepts mail for a domain. */
export interface MailHost {
  readonly name: string;
  /** Lower values are tried first. */
  readonly preference: number;
}

export interface RefusedRoute {
  readonly kind: 'refused';
  readonly reason: string;
  readonly classification: Classification;
}

/** The servers of a domain, best first, or why there are none. Reasons are sentences that users read. */
export type MxRoute =
  | { readonly kind: 'hosts'; readonly hosts: readonly MailHost[]; readonly isImplicit: boolean }
  | RefusedRoute
  | { readonly kind: 'deferred'; readonly reason: string };

/**
 * Interprets the response for a domain's MX records (RFC 5321, section 5.1).
 *
 * @param domain in lowercase as A-labels.
 * @param ownName the name of this server.
 */
export function readMxResult(domain: string, response: DnsResult<MxRecord>, ownName: string): MxRoute {
  switch (response.kind) {
    case 'no-name':
      return refuse(`The domain ${domain} does not exist (NXDOMAIN).`, 'hard');
    case 'failed':
      return { kind: 'deferred', reason: `The DNS lookup of the mail servers of ${domain} failed: ${response.reason}` };
    case 'no-record':
      return withoutOurselves(domain, [{ name: domain, preference: 0 }], ownName, true);
    case 'found':
      return readRecords(domain, response.values, ownName);
  }
}

/** RFC 3463, code 5.1.2: a system that does not exist or accepts no mail. */
export function refuseWithoutAddress(domain: string): RefusedRoute {
  return refuse(`The domain ${domain} does not accept mail: it has neither a mail server nor an address.`, 'hard');
}

function readRecords(domain: string, records: readonly MxRecord[], ownName: string): MxRoute {
  // RFC 7505, section 3: a null MX must be the only record. Next to others it is a mistake and is ignored.
  const named = records.filter(({ exchange }) => exchange !== '');
  if (named.length === 0) return refuse(`The domain ${domain} does not accept mail: it has a null MX record.`, 'hard');
  const usable = named.filter(({ exchange }) => isHostName(exchange));
  if (usable.length === 0) {
    // A name in the DNS may contain any byte.
    const words = named.slice(0, 3).map(({ exchange }) => exchange.replace(/[^!-~]/g, '?'));
    const reason = `The MX records of ${domain} contain no valid host name (${words.join(', ')}). An MX record needs a host name.`;
    return { kind: 'deferred', reason };
  }
  const byName = new Map<string, MailHost>();
  for (const { exchange, priority } of usable) {
    const known = byName.get(exchange);
    if (known === undefined || priority < known.preference) {
      byName.set(exchange, { name: exchange, preference: priority });
    }
  }
  const hosts = [...byName.values()].sort((one, other) => one.preference - other.preference);
  return withoutOurselves(domain, hosts, ownName, false);
}

/** RFC 5321, section 5.1: a server that finds itself in the list uses only the servers before it, which prevents mail loops. */
function withoutOurselves(domain: string, hosts: readonly MailHost[], ownName: string, isImplicit: boolean): MxRoute {
  const own = ownName.toLowerCase().replace(/\.$/, '');
  const ours = hosts.find(({ name }) => name === own);
  const before = ours === undefined ? hosts : hosts.filter(({ preference }) => preference < ours.preference);
  if (before.length > 0) return { kind: 'hosts', hosts: before, isImplicit };
  return refuse(
    `The MX record of ${domain} points to this server (${own}), which does not accept its mail: a loop.`,
    'unknown',
  );
}

function refuse(reason: string, classification: Classification): RefusedRoute {
  return { kind: 'refused', reason, classification };
}

/**
 * Underscores are not allowed in host names, but some names that work have them. A numeric last label is an address (RFC
 * 3696, section 2).
 */
function isHostName(name: string): boolean {
  if (isIP(name) !== 0 || name.length > 253) return false;
  return /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9-]*[a-z][a-z0-9-]*$/i.test(name);
}
