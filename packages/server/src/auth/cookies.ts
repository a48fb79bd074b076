import { LIMITS } from '@postrider/core';

const DAY_SECONDS = 86_400;

export interface CookieJar {
  /** False on plain http in development. */
  readonly isSecure: boolean;
  /** Holds the token of the session. */
  readonly session: string;
  /** Holds what binds a sign-in link to the browser that asked for it. */
  readonly browser: string;
  /** Names a browser that signed in before; it counts by itself when it asks for a link. */
  readonly known: string;
  /** Holds what a sign-in at a provider was begun with. */
  readonly oauth: string;
  set(name: string, value: string, seconds: number): string;
  clear(name: string): string;
}

/**
 * The cookies of sign-in. With the prefix `__Host-` browsers take them from this very host over TLS alone, so that no neighbour under the same
 * domain can plant one; that prefix needs TLS, which development on plain http has not.
 */
export function createCookieJar(secure: boolean): CookieJar {
  const prefix = secure ? '__Host-' : '';
  const attributes = `Path=/; HttpOnly; ${secure ? 'Secure; ' : ''}SameSite=Lax`;
  return {
    isSecure: secure,
    session: `${prefix}session`,
    browser: `${prefix}sign-in`,
    known: `${prefix}known-browser`,
    oauth: `${prefix}oauth`,
    set: (name, value, seconds) => `${name}=${value}; Max-Age=${seconds}; ${attributes}`,
    clear: (name) => `${name}=; Max-Age=0; ${attributes}`,
  };
}

/** The server says when a session ends; the cookie only has to live that long. */
export const SESSION_COOKIE_SECONDS = LIMITS.sessionDays * DAY_SECONDS;
export const KNOWN_BROWSER_SECONDS = LIMITS.knownBrowserDays * DAY_SECONDS;

/** The value of a cookie; null where the header has none of this name, or more than one: of two somebody else planted one. */
export function readCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null;
  const values = header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at >= 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? (values[0] ?? null) : null;
}
