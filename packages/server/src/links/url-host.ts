import { toAsciiDomain } from '@postrider/core/email-address';
import { addressesOfMailto } from './mail-addresses.ts';
import { urlOf } from './web-link.ts';

/** The destination of a link: a host in lowercase, as A-labels, or a mail address. Null if it is uncertain. */
export type Host = string | null;

/** Part of the message itself. */
const CONTENT_ID = /^cid:/i;
/** A telephone number has no host. Network codes (`*21#`) and parameters other than an extension do more than call. */
const TELEPHONE = /^tel:[+\d().\s-]{1,40}(?:;ext=\d{1,10})?$/i;
/** The placeholder for the recipient's own unsubscribe link, which leads to this server. */
const OWN_PLACE = /^\{\{\s*unsubscribe_url\s*\}\}$/;
/** Schemes whose host is the actual destination. `intent://good.example` opens an app, and `javascript://good.example` runs code. */
const WEB_PROTOCOLS = new Set(['http:', 'https:', 'ftp:', 'ws:', 'wss:']);

/** The destination of the value of an attribute such as `href`, after decoding character references; empty if it leads to no host. */
export function hostsOfLink(attribute: string): readonly Host[] {
  const url = urlOf(attribute);
  if (url === '' || url.startsWith('#') || CONTENT_ID.test(url) || TELEPHONE.test(url) || OWN_PLACE.test(url))
    return [];
  if (/^mailto:/i.test(url)) return addressesOfMailto(url);
  const found = hostsOfUrl(url);
  // Browsers remove line breaks, tabs, and surrounding control characters; other programs end the URL there.
  return attribute.trim() === url || !CONTROL.test(beginningOf(attribute.trim())) ? found : [...found, null];
}

const CONTROL = /\p{Cc}/u;

/** A relative link has no known destination. It resolves to this base, which is how it is recognized. */
const NOWHERE = 'https://nowhere.invalid';

/**
 * Parsed as in browsers (WHATWG URL): user names are not hosts, backslashes are slashes, `//host` and `https:host` are
 * absolute, other alphabets become A-labels, and decimal, octal and hexadecimal IPv4 addresses become dotted ones. If
 * another parser could find another host, the host is uncertain.
 */
export function hostsOfUrl(url: string): readonly Host[] {
  const parsed = URL.parse(url) ?? URL.parse(url, NOWHERE);
  if (parsed === null || !WEB_PROTOCOLS.has(parsed.protocol)) return [null];
  const host = parsed.hostname.replace(/\.$/, '').toLowerCase();
  if (host === '' || host === 'nowhere.invalid') return [null];
  const shown = toAsciiDomain(host) ?? host;
  const written = writtenHost(url);
  if (written === null) return [shown, null];
  const older = toAsciiDomain(written.replaceAll('ß', 'ss').replaceAll('ς', 'σ'));
  return older === null || older === shown ? [shown] : [shown, older];
}

const AUTHORITY = /^(?:[a-z][a-z0-9+.-]{0,30}:)?\/\/([^/?#]*)/i;
/**
 * Parts that URL parsers interpret or decode differently: several hosts, user names, backslashes, percent-encoding,
 * references, and other characters.
 */
const DISPUTED = /[@\\%&\s\p{Cc}\p{Default_Ignorable_Code_Point}\u3002\uff0e\uff61]/u;
const PORT = /:\d{0,5}$/;

/**
 * The host as written, if it is unambiguous; null if parsers could disagree. `https://a.example\@b.example` is a.example
 * in browsers and b.example for RFC 3986 parsers, `https:b.example` is a path for the latter, and with several `@` some
 * use the first.
 */
function writtenHost(url: string): string | null {
  const authority = AUTHORITY.exec(url)?.[1];
  if (authority === undefined || authority === '' || DISPUTED.test(authority)) return null;
  const host = authority.replace(PORT, '').replace(/\.$/, '').toLowerCase();
  // `ｅvil` becomes evil by compatibility mapping, and is something else before.
  return host.normalize('NFKC') === host.normalize('NFC') ? host : null;
}

/** Everything before the path of a URL. */
function beginningOf(url: string): string {
  const slashes = url.search(/[/\\]{2}/);
  const rest = slashes === -1 ? url : url.slice(slashes + 2);
  const end = rest.search(/[/?#]/);
  return end === -1 ? url : url.slice(0, url.length - rest.length + end);
}
