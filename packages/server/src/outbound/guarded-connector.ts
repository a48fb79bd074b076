import type { LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressPolicy, refuseAddress } from './public-address.ts';
import type { HostAddress, ResolveHost } from './resolve-host.ts';

/** The rules forbid to go where a URL leads. Nothing was sent there. */
export class OutboundRefusedError extends Error {
  override readonly name = 'OutboundRefusedError';
}

export interface ConnectorOptions {
  readonly policy: AddressPolicy;
  readonly resolve: ResolveHost;
  readonly connectMs: number;
  /** Certificates that are trusted beside the public ones. */
  readonly trustedCertificates?: readonly string[];
}

/**
 * Opens connections to checked addresses only. A name is looked up once per connection, each of its addresses is checked, and the socket
 * connects to these very addresses: a name server that answers differently the next time is never asked that next time (DNS rebinding).
 */
export function createGuardedConnector({ policy, resolve, connectMs, trustedCertificates }: ConnectorOptions) {
  const connect = buildConnector({
    lookup: createCheckedLookup(policy, resolve),
    timeout: connectMs,
    allowH2: false,
    autoSelectFamily: true,
    ...(trustedCertificates === undefined ? {} : { ca: [...trustedCertificates] }),
  });
  const guarded: buildConnector.connector = (options, callback) => {
    // The connector answers the socket it opens, which its type leaves out.
    const socket = connect(options, callback) as unknown as Socket;
    // In front of everyone else who waits for the connection, so that not even a TLS greeting leaves before the check.
    socket.prependOnceListener('connect', () => {
      if (refuseAddress(socket.remoteAddress ?? '', policy) !== null) socket.destroy(refusal(options.hostname));
    });
  };
  return guarded;
}

function createCheckedLookup(policy: AddressPolicy, resolve: ResolveHost): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname)
      .then((addresses) => checkAddresses(hostname, addresses, policy))
      .then(
        (addresses) => {
          const [first] = addresses;
          if (options.all === true) callback(null, [...addresses]);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
      );
  };
}

/** One bad address is enough to refuse them all: a name that mixes inside and outside is a trick or a mistake. */
function checkAddresses(
  hostname: string,
  addresses: readonly HostAddress[],
  policy: AddressPolicy,
): readonly [HostAddress, ...HostAddress[]] {
  if (addresses.some(({ address }) => refuseAddress(address, policy) !== null)) throw refusal(hostname);
  const [first, ...rest] = addresses;
  if (first === undefined) throw new Error(`${hostname} has no address`);
  return [first, ...rest];
}

/** Where the name leads is not told: who may not go there has no business knowing what our name servers say of it. */
function refusal(hostname: string): OutboundRefusedError {
  return new OutboundRefusedError(`names the host ${hostname}, which has an address that is not public`);
}
