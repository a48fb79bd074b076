import { isIP } from 'node:net';

/** This server as browsers and authenticators know it. */
export interface RelyingParty {
  /** The host name that every passkey is bound to. */
  readonly id: string;
  readonly name: string;
  /** The origins whose pages may use the passkeys. */
  readonly origins: readonly string[];
}

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns null if the base URL has an IP address: passkeys are bound to names. On loopback the name is `localhost`, and all names with the
 * server's port are its origins.
 */
export function relyingPartyOf(baseUrl: string): RelyingParty | null {
  const own = new URL(baseUrl);
  const name = 'Postrider';
  if (LOOPBACK_NAMES.includes(own.hostname)) {
    const port = own.port === '' ? '' : `:${own.port}`;
    return { id: 'localhost', name, origins: LOOPBACK_NAMES.map((host) => `${own.protocol}//${host}${port}`) };
  }
  if (isIP(own.hostname.replace(/^\[|\]$/g, '')) !== 0) return null;
  return { id: own.hostname, name, origins: [own.origin] };
}
