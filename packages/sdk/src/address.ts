/**
 * Checks the base URL and removes its trailing slashes; a path in it is kept, for servers behind a prefix.
 * Throws a TypeError that does not repeat the value, because a mistyped one may contain a password.
 */
export function parseBaseUrl(given: string): string {
  const url = URL.parse(given);
  if (url === null) throw new TypeError('baseUrl is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError('baseUrl must begin with http or https');
  if (url.username !== '' || url.password !== '') throw new TypeError('baseUrl must not hold a user name or password');
  if (url.search !== '' || url.hash !== '') throw new TypeError('baseUrl must not hold a query or a fragment');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The address of a request under the base URL. */
export function buildUrl(baseUrl: string, path: string, query: Readonly<Record<string, unknown>> = {}): URL {
  if (!path.startsWith('/')) throw new TypeError('path must begin with a slash');
  const url = new URL(`${baseUrl}${path}`);
  for (const [name, given] of Object.entries(query)) {
    for (const value of Array.isArray(given) ? given : [given]) {
      if (value !== undefined) url.searchParams.append(name, toText(value));
    }
  }
  return url;
}

/**
 * Inserts values into the `:name` placeholders of a path. Empty values and dot segments are rejected: a URL parser would drop them, and the
 * request would call another operation.
 */
export function fillPath(template: string, params: Readonly<Record<string, unknown>> = {}): string {
  return template.replace(/:([a-zA-Z]+)/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError(`${name} must be a string`);
    const segment = String(value);
    if (/^\.{0,2}$/.test(segment)) throw new TypeError(`${name} must not be empty or a dot segment`);
    return encodeURIComponent(segment);
  });
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
