import { toAsciiDomain } from '@postrider/core';
import { urlOf } from '../links/web-link.ts';

/** Where a link leads: a host in lower case, as A-labels. Null if that is not certain. */
export type Host = string | null;

/** Schemes that lead to no host: mail, telephones, and parts of the message itself. */
const HARMLESS = /^(?:mailto|tel|sms|cid|mid):/i;
/** The place of the recipient's own unsubscribe link, which is this server's. */
const OWN_PLACE = /^\{\{\s*unsubscribe_url\s*\}\}$/;
/** Schemes whose host is where the user arrives. `intent://good.example` opens an app, and `javascript://good.example` runs code. */
const WEB_PROTOCOLS = new Set(['http:', 'https:', 'ftp:', 'ws:', 'wss:']);

/** Where the value of an attribute such as `href` leads, with its character references decoded; empty where it leads to no host. */
export function hostsOfLink(attribute: string): readonly Host[] {
  const url = urlOf(attribute);
  if (url === '' || url.startsWith('#') || HARMLESS.test(url) || OWN_PLACE.test(url)) return [];
  return hostsOfUrl(url);
}

/** A relative link cannot be judged: it resolves to this base, which is how it is recognized. */
const NOWHERE = 'https://nowhere.invalid';

/**
 * As browsers read it (WHATWG URL): user names are no host, backslashes are slashes, `//host` and `https:host` lead there, other alphabets
 * become A-labels, and decimal, octal and hexadecimal IPv4 addresses become dotted ones.
 */
export function hostsOfUrl(url: string): readonly Host[] {
  const parsed = URL.parse(url) ?? URL.parse(url, NOWHERE);
  if (parsed === null || !WEB_PROTOCOLS.has(parsed.protocol)) return [null];
  const host = parsed.hostname.replace(/\.$/, '').toLowerCase();
  if (host === '' || host === 'nowhere.invalid') return [null];
  const shown = toAsciiDomain(host) ?? host;
  return isAmbiguous(url) ? [shown, null] : [shown];
}

const AFTER_SCHEME = /^[a-z][a-z0-9+.-]{0,30}:/i;

/**
 * Whether readers of URLs disagree about the host: `https://a.example\@b.example` is a.example to browsers and b.example to readers by
 * RFC 3986, and of several `@` some take the first.
 */
function isAmbiguous(url: string): boolean {
  let at = AFTER_SCHEME.exec(url)?.[0].length ?? 0;
  while (url[at] === '/' || url[at] === '\\') at += 1;
  let signs = 0;
  let hasBackslash = false;
  for (; at < url.length && !'/?#'.includes(url[at] ?? ''); at += 1) {
    if (url[at] === '@') signs += 1;
    else if (url[at] === '\\') hasBackslash = true;
  }
  return signs > 1 || (signs > 0 && hasBackslash);
}
