import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

export type RelayTls = 'none' | 'starttls' | 'implicit' | 'opportunistic';

/** A mail server that relays our mail to every destination. */
export interface RelayConfig {
  /** An ASCII host name or an IP address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /**
   * - `none`: never TLS, not even for the credentials; the operator chose this.
   * - `starttls`: STARTTLS is required and the certificate is verified.
   * - `implicit`: TLS from the first byte; the certificate is verified.
   * - `opportunistic` (nothing was set): STARTTLS if the server offers it, with any certificate. Credentials are sent
   *   only over a connection with a valid certificate, or to a loopback host.
   *
   * Certificates are never verified on a loopback host, in any mode: no one can intercept a connection between two
   * programs on one machine, and a relay there rarely has a certificate for `localhost`.
   */
  readonly tls: RelayTls;
  readonly credentials: { readonly user: string; readonly pass: string } | null;
}

export type RelayUrlResult =
  | { readonly ok: true; readonly relay: RelayConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

const SUBMISSION_PORT = 587;
const IMPLICIT_TLS_PORT = 465;

/**
 * Parses `smtp://user:pass@host:port?tls=none|starttls|implicit`. The user name and the password are percent-decoded.
 *
 * Each problem says what to change. It never repeats any part of the URL other than setting names, because a password
 * that contains an unescaped `/`, `?` or `#` can end up in any part of a URL.
 */
export function parseRelayUrl(text: string): RelayUrlResult {
  const url = URL.canParse(text) ? new URL(text) : null;
  const mistake = findMistake(text, url);
  if (url === null || mistake !== null) return { ok: false, problems: [mistake ?? SHAPE] };
  const problems: string[] = [];
  const tls = readTls(url.searchParams, problems);
  const host = readHost(url.hostname, problems);
  const credentials = readCredentials(url, problems);
  const port = url.port === '' ? (tls === 'implicit' ? IMPLICIT_TLS_PORT : SUBMISSION_PORT) : Number(url.port);
  if (port === 0) problems.push('The port must be between 1 and 65535.');
  return problems.length > 0 ? { ok: false, problems } : { ok: true, relay: { host, port, tls, credentials } };
}

/** True for 127.0.0.0/8, ::1 and `localhost`, which RFC 6761 reserves for this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name === '::1' || name === '0:0:0:0:0:0:0:1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

const SHAPE = 'The URL must look like smtp://user:password@host:port?tls=starttls. Percent-encode special characters.';
const ESCAPE = 'Percent-encode / ? # @ : % in the user name and password (%2F %3F %23 %40 %3A %25).';

/** Finds a mistake that makes the URL parser split the URL in the wrong places, so that checks of the parts would be misleading. */
function findMistake(text: string, url: URL | null): string | null {
  if (/^smtps:/i.test(text)) return 'Use smtp:// with ?tls=implicit for TLS from the first byte.';
  if (!/^smtp:\/\//i.test(text)) return SHAPE;
  // The URL parser silently drops tabs and line breaks, which would change a password.
  if (/\s/.test(text)) return 'The URL must not contain white space.';
  if (text.replace(/^smtp:\/\//i, '').split('@').length > 2) return ESCAPE;
  if (url === null) return text.includes('@') ? `${SHAPE} ${ESCAPE}` : SHAPE;
  if (/@/.test(url.pathname + url.search + url.hash)) return ESCAPE;
  if (url.hash !== '' || (url.pathname !== '' && url.pathname !== '/'))
    return 'Only ?tls= may follow the host and port.';
  return null;
}

function readTls(parameters: URLSearchParams, problems: string[]): RelayTls {
  for (const name of new Set(parameters.keys())) {
    if (name !== 'tls') problems.push(`Unknown setting ${JSON.stringify(name)}. The only setting is tls.`);
  }
  const [value, ...more] = parameters.getAll('tls');
  if (more.length > 0) problems.push('Set tls only once.');
  if (value === undefined) return 'opportunistic';
  if (value === 'none' || value === 'starttls' || value === 'implicit') return value;
  problems.push('The tls setting must be none, starttls or implicit.');
  return 'opportunistic';
}

function readHost(hostname: string, problems: string[]): string {
  if (hostname === '') {
    problems.push('The URL has no host.');
    return '';
  }
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  const host = domainToASCII(decode(hostname) ?? '');
  if (!/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?$/.test(host))
    problems.push('The host must be a host name or an IP address.');
  return host;
}

function readCredentials(url: URL, problems: string[]): RelayConfig['credentials'] {
  if (url.username === '' && url.password === '') return null;
  const user = decode(url.username);
  const pass = decode(url.password);
  if (user === null || pass === null) {
    problems.push('The user name or password is not percent-encoded correctly. Write % as %25.');
    return null;
  }
  if (user === '') problems.push('The URL has a password but no user name.');
  if (pass === '') problems.push('The URL has a user name but no password.');
  if (/\p{Cc}/u.test(user + pass)) problems.push('The user name or password contains a control character.');
  return { user, pass };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
