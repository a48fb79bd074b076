import { isIP } from 'node:net';
import type { Clock } from '../clock.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import { refuseAddress } from '../outbound/public-address.ts';
import { ONLY_PROCESS, type ProcessPlace, strictShareOf } from '../process-share.ts';
import { cacheCheck } from '../smtp-client/cached-check.ts';
import { toErrorVerdicts } from '../smtp-client/error-verdicts.ts';
import type { NoteTry } from '../smtp-client/exchange.ts';
import {
  DIRECT_TIMEOUTS,
  openSmtpConnection,
  type SmtpConnectionOptions,
  type SmtpTimeouts,
} from '../smtp-client/smtp-connection.ts';
import { assertHeloName } from '../smtp-client/smtp-handshake.ts';
import { prepareSmtpMessage, type SmtpMessage } from '../smtp-client/smtp-message.ts';
import type { OutgoingMessage, RecipientVerdict, Transport } from '../smtp-client/transport.ts';
import { attemptDirect, type DirectAttemptOptions, toUnconnectedTry } from './direct-attempt.ts';
import { createDirectPools, type ServerAddress } from './direct-pools.ts';
import { createExpiringSet, type ExpiringSet } from './expiring-set.ts';
import { createMtaSts } from './mta-sts.ts';
import { providerOf } from './mx-provider.ts';
import { readMxResult } from './mx-route.ts';
import { findAddressFault, type SourceAddress } from './source-address.ts';

export interface DirectTransportOptions {
  readonly dns: DnsResolver;
  /** The guarded HTTP client, for MTA-STS policies. */
  readonly http: OutboundClient;
  readonly clock: Clock;
  /** In [0, 1): the order among equal servers. */
  readonly random: () => number;
  /** The name we send in EHLO. Mail whose MX is this name is in a loop. */
  readonly heloName: string;
  /** Null lets the system choose the addresses. */
  readonly sourceAddress: SourceAddress | null;
  readonly mxPort: number;
  /** For development: servers may have non-public addresses. */
  readonly allowPrivate: boolean;
  readonly timeouts?: Partial<SmtpTimeouts>;
  /** If several processes of this server share the limits on connections. */
  readonly place?: ProcessPlace;
  /** The most connections in total. */
  readonly maxSockets?: number;
  /** The most connections to one address. */
  readonly maxPerAddress?: number;
  /** For tests: the port of MTA-STS policies, and extra trusted certificates. */
  readonly stsPort?: number;
  readonly trustedCertificates?: readonly string[];
}

const MAX_SOCKETS = 200;
/** The most concurrent sends that shaping allows for one destination. */
const MAX_PER_ADDRESS = 10;

const SILENCE_KEPT_MS = 300_000;
const BROKEN_TLS_KEPT_MS = 3_600_000;
const MAX_REMEMBERED = 10_000;

const CHECK_TIMEOUT_MS = 5_000;

/**
 * Sends each message to the mail servers of its recipients' domains. Their 250 means `delivered`, because no later
 * report follows. Throws TypeError for an invalid EHLO name.
 */
export function createDirectTransport(options: DirectTransportOptions): Transport {
  const { dns, clock, heloName, place = ONLY_PROCESS } = options;
  assertHeloName(heloName);
  let isStopped = false;
  const brokenTls = createExpiringSet(BROKEN_TLS_KEPT_MS, MAX_REMEMBERED, clock.now);
  const pools = createDirectPools({
    open: (server) => openSmtpConnection(toConnectionOptions(options, server, brokenTls)),
    maxSockets: options.maxSockets ?? strictShareOf(MAX_SOCKETS, place),
    maxPerServer: options.maxPerAddress ?? strictShareOf(MAX_PER_ADDRESS, place),
  });
  const attempting: DirectAttemptOptions = {
    route: {
      dns,
      sts: createMtaSts({
        dns,
        http: options.http,
        clock,
        ...(options.stsPort === undefined ? {} : { port: options.stsPort }),
      }),
      ownName: heloName,
      sourceAddress: options.sourceAddress,
      addressPolicy: options.allowPrivate ? null : { allowLoopback: false },
    },
    pools,
    port: options.mxPort,
    silent: createExpiringSet(SILENCE_KEPT_MS, MAX_REMEMBERED, clock.now),
    random: options.random,
    isStopped: () => isStopped,
  };

  return {
    name: 'direct',
    acceptedMeans: 'delivered',
    place,
    send: (outgoing) => sendByDomain(attempting, outgoing).catch((error: unknown) => toErrorVerdicts(outgoing, error)),
    groupOf: async (domain) => providerOf(domain, readMxResult(domain, await dns.mx(domain), heloName)),
    check: cacheCheck(() => checkDirect(options)),
    abort() {
      isStopped = true;
      pools.abort();
    },
    async close() {
      await pools.close();
      isStopped = true;
    },
  };
}

function toConnectionOptions(
  { heloName, mxPort, sourceAddress, allowPrivate, timeouts, trustedCertificates }: DirectTransportOptions,
  { host, address, isVerified }: ServerAddress,
  brokenTls: ExpiringSet,
): SmtpConnectionOptions {
  const localAddress = isIP(address) === 6 ? sourceAddress?.ipv6 : sourceAddress?.ipv4;
  const place = `${host} ${address}`;
  const courtesy = brokenTls.has(place) ? 'none' : 'opportunistic';
  return {
    host: address,
    port: mxPort,
    serverName: host,
    heloName,
    tls: { mode: isVerified ? 'required' : courtesy, verify: isVerified },
    credentials: null,
    credentialsAnywhere: false,
    timeouts: { ...DIRECT_TIMEOUTS, ...timeouts },
    onTlsGivenUp: () => brokenTls.add(place),
    ...(localAddress ? { localAddress } : {}),
    ...(allowPrivate ? {} : { refusePeer: (peer: string) => refuseAddress(peer, { allowLoopback: false }) }),
    ...(trustedCertificates === undefined ? {} : { trustedCertificates }),
  };
}

async function sendByDomain(
  options: DirectAttemptOptions,
  outgoing: OutgoingMessage,
): Promise<readonly RecipientVerdict[]> {
  const message = prepareSmtpMessage(outgoing);
  const byDomain = Map.groupBy(message.recipients, domainOf);
  const verdicts = await Promise.all(
    [...byDomain].map(([domain, recipients]) =>
      sendToDomain(options, domain, { ...message, recipients }, outgoing.note),
    ),
  );
  const byRecipient = new Map(verdicts.flat().map((verdict) => [verdict.recipient, verdict]));
  return outgoing.recipients.flatMap((recipient) => byRecipient.get(recipient) ?? []);
}

async function sendToDomain(
  options: DirectAttemptOptions,
  domain: string,
  message: SmtpMessage,
  note: NoteTry | undefined,
): Promise<readonly RecipientVerdict[]> {
  if (!domain.startsWith('[')) return await attemptDirect(options, domain, message, note);
  // Acceptance already rejects addresses in this form: mail to an IP address would bypass everything that a domain publishes.
  const reason = 'Mail to an IP address instead of a domain is not delivered.';
  const verdicts = message.recipients.map((recipient): RecipientVerdict => {
    return { recipient, outcome: 'refused', reply: null, reason, ambiguous: false, classification: 'unknown' };
  });
  note?.(toUnconnectedTry(verdicts, null, performance.now()));
  return verdicts;
}

function domainOf(recipient: string): string {
  return recipient.slice(recipient.lastIndexOf('@') + 1).toLowerCase();
}

/** Checks that DNS lookups work and the source addresses exist. It does not contact remote mail servers. */
async function checkDirect({ dns, sourceAddress }: DirectTransportOptions): ReturnType<Transport['check']> {
  for (const address of [sourceAddress?.ipv4, sourceAddress?.ipv6]) {
    const fault = address ? await findAddressFault(address) : null;
    if (fault !== null) return { ok: false, reason: `The source address ${address} ${fault}.` };
  }
  // Every resolver knows this name, which RFC 2606 reserves for examples. NXDOMAIN would be a valid response too.
  const response = await withLimit(dns.fresh().mx('example.com'));
  if (response === null) return { ok: false, reason: 'DNS does not respond, so no mail server can be found.' };
  if (response.kind !== 'failed') return { ok: true, reason: null };
  return { ok: false, reason: `No mail server can be found: ${response.reason}` };
}

async function withLimit<Result>(response: Promise<Result>): Promise<Result | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), CHECK_TIMEOUT_MS);
  return await Promise.race([response, late]).finally(() => clearTimeout(timer));
}
