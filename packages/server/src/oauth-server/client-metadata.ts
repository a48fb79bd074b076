/** What this server stores and uses of a program's metadata (RFC 7591, section 2). */
export interface ClientMetadata {
  readonly redirect_uris: readonly string[];
  readonly client_name: string;
  readonly client_uri?: string;
  readonly application_type: 'native';
  readonly token_endpoint_auth_method: 'none';
  readonly grant_types: readonly ['authorization_code', 'refresh_token'];
  readonly response_types: readonly ['code'];
}

export type MetadataVerdict =
  | { readonly ok: true; readonly metadata: ClientMetadata }
  | { readonly ok: false; readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata'; readonly why: string };

const REDIRECT_URIS_MAX = 20;
const URI_CHARACTERS_MAX = 2_000;
const NAME_CHARACTERS_MAX = 80;
const UNNAMED = 'Unnamed program';

/**
 * Reads metadata as a program registers or publishes it. Programs are public clients with PKCE and get no secret, whatever they request;
 * RFC 7591 lets a server replace requested values. Other fields are left out: a scope would limit later requests, and no logo is fetched.
 * @param baseUrl of this server
 */
export function readClientMetadata(given: unknown, baseUrl: string): MetadataVerdict {
  if (!isRecord(given)) return invalid('The metadata is not a JSON object.');
  const { redirect_uris: uris, client_name: name, client_uri: home } = given;
  if (!Array.isArray(uris) || uris.length === 0) return wrongUri('`redirect_uris` must name at least one URI.');
  if (uris.length > REDIRECT_URIS_MAX) return wrongUri(`\`redirect_uris\` may name at most ${REDIRECT_URIS_MAX} URIs.`);
  if (name !== undefined && typeof name !== 'string') return invalid('`client_name` must be a string.');
  for (const uri of uris) {
    const fault = redirectFault(uri, baseUrl);
    if (fault !== null) return wrongUri(fault);
  }
  return {
    ok: true,
    metadata: {
      redirect_uris: uris.filter((uri) => typeof uri === 'string'),
      client_name: shownName(name ?? ''),
      ...(typeof home === 'string' && isHttps(home) ? { client_uri: home } : {}),
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  };
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Schemes that browsers, systems or common programs handle themselves. Apps have their own. */
const UNSAFE_SCHEMES =
  /^(?:javascript|vbscript|data|blob|file|filesystem|about|view-source|ftps?|wss?|jar|resource|mailto|tel|sms|intent|android-app|feed|news|nntp|ldaps?|smb|ssh|telnet|irc|market|itms.*|ms-.*|x-.*|search(?:-ms)?|chrome.*|moz.*|edge|safari.*|steam|shell|res|mk|its|hcp|dict|gopher|cid|mid|magnet):$/;

/** What is wrong with a redirect URI; null if it leads over https, to a program on the user's own machine, or to an app by its scheme. */
function redirectFault(uri: unknown, baseUrl: string): string | null {
  if (typeof uri !== 'string') return 'A redirect URI must be a string.';
  if (uri.length > URI_CHARACTERS_MAX) return `A redirect URI must have at most ${URI_CHARACTERS_MAX} characters.`;
  const url = URL.parse(uri);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in it.
  if (url === null || /[\u0000-\u0020\u007f-\uffff\\]/.test(uri)) return 'A redirect URI is not a valid URI.';
  if (url.username !== '' || url.password !== '') return 'A redirect URI must not contain a user name or password.';
  if (uri.includes('#')) return 'A redirect URI must not contain a fragment.';
  // A result that led to this server would come from its own origin, as its forms do.
  if (isOwnOrigin(url, baseUrl)) return 'A redirect URI must not lead to this server.';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:') {
    return LOOPBACK_NAMES.has(url.hostname)
      ? null
      : 'A redirect URI with `http` must lead to a loopback address. Use `https` for another host.';
  }
  // An app's own scheme, as `com.example.app://` or `cursor://`.
  const isApp = /^[a-z][a-z0-9+.-]*:\/\//i.test(uri) && !UNSAFE_SCHEMES.test(url.protocol);
  return isApp ? null : `A redirect URI must not use the scheme \`${url.protocol}\`.`;
}

/** Whether a URL leads to this server, by its own name or by another name of the same machine. */
export function isOwnOrigin({ origin, hostname, port }: URL, baseUrl: string): boolean {
  const own = new URL(baseUrl);
  const areLocal = LOOPBACK_NAMES.has(hostname) && LOOPBACK_NAMES.has(own.hostname);
  return origin === own.origin || (areLocal && port === own.port);
}

/** A name without invisible characters and line breaks, which could hide or reorder what the consent page says. */
function shownName(name: string): string {
  const visible = name
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\s]+/gu, ' ')
    .replaceAll(/(\p{M}{2})\p{M}+/gu, '$1');
  const shown = [...visible.trim()].slice(0, NAME_CHARACTERS_MAX);
  const text = shown.join('').trim();
  return text === '' ? UNNAMED : text;
}

function isHttps(uri: string): boolean {
  return URL.parse(uri)?.protocol === 'https:' && uri.length <= URI_CHARACTERS_MAX;
}

function invalid(why: string): MetadataVerdict {
  return { ok: false, error: 'invalid_client_metadata', why };
}

function wrongUri(why: string): MetadataVerdict {
  return { ok: false, error: 'invalid_redirect_uri', why };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
