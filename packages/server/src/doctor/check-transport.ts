import type { DnsResolver } from '../dns/dns-resolver.ts';
import type { SourceAddress } from '../routing/source-address.ts';
import { DIRECT_TIMEOUTS, openSmtpConnection } from '../smtp-client/smtp-connection.ts';
import type { Transport } from '../smtp-client/transport.ts';
import { type DoctorCheck, fail, messageOf, pass, skip, warn } from './doctor-check.ts';

const PATIENCE_MS = 10_000;

export type TransportFacts =
  | { readonly kind: 'capture'; readonly mode: 'development' | 'production' }
  | { readonly kind: 'direct' | 'relay'; readonly transport: Transport };

export async function checkTransport(facts: TransportFacts): Promise<DoctorCheck> {
  const set = 'Set POSTRIDER_TRANSPORT to direct, or to smtp://user:password@host:port.';
  if (facts.kind === 'capture' && facts.mode === 'production')
    return warn('transport', 'The transport is capture: every message is stored here and none is sent.', set);
  if (facts.kind === 'capture') return pass('transport', 'The transport is capture: every message is stored here.');
  const { ok, reason } = await facts.transport.check();
  if (ok) return pass('transport', `The ${facts.kind} transport works.`);
  const fix =
    facts.kind === 'relay'
      ? 'Check that the relay in POSTRIDER_TRANSPORT runs, and that its host, port and tls setting are correct.'
      : 'Check POSTRIDER_DNS_SERVERS and POSTRIDER_SOURCE_ADDRESS.';
  return fail('transport', reason ?? 'The transport does not work.', fix);
}

export interface MailServerTry {
  /** A domain that accepts mail, or a mail server; null to try none. */
  readonly target: string | null;
  readonly transport: 'capture' | 'direct' | 'relay';
  readonly port: number;
  readonly heloName: string;
  readonly sourceAddress: SourceAddress | null;
}

/** Whether remote mail servers can be reached at all: many providers block outgoing port 25. Only checked on request. */
export async function checkMailServer(dns: DnsResolver, facts: MailServerTry): Promise<DoctorCheck> {
  const { target, transport, port } = facts;
  if (target === null) {
    if (transport !== 'direct') return skip('mail-server', 'This transport does not send to remote mail servers.');
    const fix = 'Add `--try-mail-server <domain>` with your own domain that receives mail elsewhere.';
    return skip('mail-server', `The connection to port ${port} of remote mail servers was not tested.`, fix);
  }
  const host = await firstExchange(dns, target);
  const [address] = await addressesOf(dns, host);
  const fix = `Ask the provider of this machine to open outgoing port ${port}, or send through a relay (POSTRIDER_TRANSPORT=smtp://…).`;
  if (address === undefined)
    return fail('mail-server', `${host} has no address.`, 'Use a domain that accepts mail, and see the `dns` check.');
  try {
    const connection = await openSmtpConnection(toOptions(facts, host, address));
    await connection.quit();
    return pass('mail-server', `${host} [${address}] sends a greeting on port ${port}.`);
  } catch (error) {
    return fail('mail-server', `${host} [${address}] cannot be used on port ${port}: ${messageOf(error)}`, fix);
  }
}

function toOptions({ heloName, port, sourceAddress }: MailServerTry, host: string, address: string) {
  const localAddress = address.includes(':') ? sourceAddress?.ipv6 : sourceAddress?.ipv4;
  return {
    host: address,
    port,
    serverName: host,
    heloName,
    tls: { mode: 'opportunistic', verify: false },
    credentials: null,
    credentialsAnywhere: false,
    timeouts: { ...DIRECT_TIMEOUTS, connectMs: PATIENCE_MS, commandMs: PATIENCE_MS },
    ...(localAddress ? { localAddress } : {}),
  } as const;
}

async function firstExchange(dns: DnsResolver, target: string): Promise<string> {
  const response = await dns.mx(target);
  return (response.kind === 'found' && response.values[0]?.exchange) || target;
}

async function addressesOf(dns: DnsResolver, host: string): Promise<readonly string[]> {
  const responses = await Promise.all([dns.a(host), dns.aaaa(host)]);
  return responses.flatMap((response) => (response.kind === 'found' ? response.values : []));
}
