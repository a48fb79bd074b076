import type { LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressPolicy, refuseAddress } from './public-address.ts';
import type { HostAddress, ResolveHost } from './resolve-host.ts';

/** The rules do not allow the destination of a URL. Nothing was sent there. */
export class OutboundRefusedError extends Error {
  override readonly name = 'OutboundRefusedError';
}

export interface ConnectorOptions {
  readonly policy: AddressPolicy;
  readonly resolve: ResolveHost;
  readonly connectMs: number;
  /** Certificates to trust in addition to the public ones. */
  readonly trustedCertificates?: readonly string[];
}

/**
 * Opens connections only to checked addresses. Each connection resolves the name once, checks all its addresses, and
 * connects to exactly these addresses. This prevents DNS rebinding, because there is no second lookup that could return
 * something else.
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
    // The connector returns the socket it opens, which its type omits.
    const socket = connect(options, callback) as unknown as Socket;
    // Added before all other listeners on the connection, so that not even a TLS greeting is sent before the check.
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

/** One forbidden address is enough to reject all: a name that mixes internal and public addresses is an attack or a mistake. */
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

/** The address is not reported: users without access to the internal network must not learn what our DNS returns for it. */
function refusal(hostname: string): OutboundRefusedError {
  return new OutboundRefusedError(`names the host ${hostname}, which has an address that is not public`);
}
