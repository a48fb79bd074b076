import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

export type RelayTls = 'none' | 'starttls' | 'implicit' | 'opportunistic';

/** A mail server that takes our mail for everywhere. */
export interface RelayConfig {
  /** A name in ASCII or an IP address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /**
   * - `none`: never TLS, by the operator's word also for the credentials.
   * - `starttls`: STARTTLS is required and the certificate verified.
   * - `implicit`: TLS from the first octet, the certificate verified.
   * - `opportunistic` (nothing was set): STARTTLS where it is offered, with any certificate; credentials go only over a
   *   channel whose certificate is good, or to a loopback host.
   *
   * On a loopback host certificates are never verified, in any mode: nobody can stand between two programs of one
   * machine, and a relay there seldom has a certificate for `localhost`.
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
 * Reads `smtp://user:pass@host:port?tls=none|starttls|implicit`. The user name and the password are percent-decoded.
 *
 * The problems name what to change in plain words. They repeat nothing of the URL but the names of settings, since a
 * password with an unescaped `/`, `?` or `#` in it ends up in any part of a URL.
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
  if (port === 0) problems.push('The port must be from 1 to 65535.');
  return problems.length > 0 ? { ok: false, problems } : { ok: true, relay: { host, port, tls, credentials } };
}

/** True for 127.0.0.0/8, ::1 and `localhost`, which RFC 6761 reserves for this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name === '::1' || name === '0:0:0:0:0:0:0:1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

const SHAPE = 'The URL must look like smtp://user:password@host:port?tls=starttls, special characters percent-encoded.';
const ESCAPE =
  'A user name or password with one of / ? # @ : % in it must be percent-encoded (%2F %3F %23 %40 %3A %25).';

/** A mistake that makes the parts of the URL something else than was meant, so that no other part is worth a word. */
function findMistake(text: string, url: URL | null): string | null {
  if (/^smtps:/i.test(text)) return 'Use smtp:// with ?tls=implicit for TLS from the first octet.';
  if (!/^smtp:\/\//i.test(text)) return SHAPE;
  // The URL parser drops tabs and line breaks without a word, which would change a password.
  if (/\s/.test(text)) return 'The URL must not have white space in it.';
  if (text.replace(/^smtp:\/\//i, '').split('@').length > 2) return ESCAPE;
  if (url === null) return text.includes('@') ? `${SHAPE} ${ESCAPE}` : SHAPE;
  if (/@/.test(url.pathname + url.search + url.hash)) return ESCAPE;
  if (url.hash !== '' || (url.pathname !== '' && url.pathname !== '/'))
    return 'Nothing but ?tls= may follow host and port.';
  return null;
}

function readTls(parameters: URLSearchParams, problems: string[]): RelayTls {
  for (const name of new Set(parameters.keys())) {
    if (name !== 'tls') problems.push(`The setting ${JSON.stringify(name)} is not known; the only one is tls.`);
  }
  const [value, ...more] = parameters.getAll('tls');
  if (more.length > 0) problems.push('The setting tls stands there more than once.');
  if (value === undefined) return 'opportunistic';
  if (value === 'none' || value === 'starttls' || value === 'implicit') return value;
  problems.push('The setting tls must be none, starttls or implicit.');
  return 'opportunistic';
}

function readHost(hostname: string, problems: string[]): string {
  if (hostname === '') {
    problems.push('The URL has no host.');
    return '';
  }
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  const host = domainToASCII(decode(hostname) ?? '');
  if (!/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?$/.test(host)) problems.push('The host is no host name and no IP address.');
  return host;
}

function readCredentials(url: URL, problems: string[]): RelayConfig['credentials'] {
  if (url.username === '' && url.password === '') return null;
  const user = decode(url.username);
  const pass = decode(url.password);
  if (user === null || pass === null) {
    problems.push('The user name or the password is not percent-encoded correctly: a % is written %25.');
    return null;
  }
  if (user === '') problems.push('There is a password without a user name.');
  if (pass === '') problems.push('There is a user name without a password.');
  if (/\p{Cc}/u.test(user + pass)) problems.push('The user name or the password has a control character.');
  return { user, pass };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
