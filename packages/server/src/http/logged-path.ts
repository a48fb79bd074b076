/** Routes with a token in the path that authenticates the user. The value under `/approvals/open/` is an id and not a secret. */
const BEFORE_TOKEN =
  /^(\/+(?:approvals\/+(?!open\/)|auth\/+magic-link\/+|auth\/+passkeys\/+first\/+|console\/+open\/+))[^/]+/i;
const PATH_CHARACTERS = 500;

/**
 * The path for the log: no query string, no token, bounded.
 * @param route the pattern of the matched route; undefined if there is none
 */
export function loggedPath(url: string, route: string | undefined): string {
  if (route?.includes('/:token')) return route;
  const path = pathOf(url);
  const read = unescaped(path);
  return BEFORE_TOKEN.test(read) ? read.replace(BEFORE_TOKEN, '$1:token').slice(0, PATH_CHARACTERS) : path;
}

/** The path of a request: no query string, bounded. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return (end < 0 ? url : url.slice(0, end)).slice(0, PATH_CHARACTERS);
}

/** Decoded like in the router, which treats `/%61pprovals` as `/approvals`. */
function unescaped(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
