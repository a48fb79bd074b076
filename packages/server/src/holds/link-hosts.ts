import { toAsciiDomain } from '@postrider/core';
import { parse as parseName } from 'tldts';
import { decodeAttribute } from '../links/attribute-text.ts';
import { urlOf } from '../links/web-link.ts';

/** Where the links of a message lead. */
export interface LinkHosts {
  /** A-labels in lower case, each once. */
  readonly hosts: readonly string[];
  /** Whether there are links of which nobody can say where they lead. */
  readonly unreadable: boolean;
}

/**
 * The hosts that whoever reads this message can be led to. It looks for too much rather than too little: links in comments, which some mail
 * programs read, and names that mail programs make links of by themselves. Addresses of mail and telephones lead to no host, and images are no
 * links. Never throws.
 * @param texts all that is to be read: the plain text, and what the HTML shows
 * @param lines the subject and the values of headers, such as List-Unsubscribe, which mail programs make a button of: no bare names count there
 */
export function findLinkHosts(
  html: string | null,
  texts: readonly (string | null)[],
  lines: readonly string[] = [],
): LinkHosts {
  const found = [
    ...attributeHosts(html ?? ''),
    ...texts.flatMap((text) => textHosts(text ?? '')),
    ...lines.flatMap(urlHosts),
  ];
  const hosts = found.filter((host) => host !== null);
  return { hosts: [...new Set(hosts)], unreadable: hosts.length < found.length };
}

/** Null stands for a link that cannot be read. */
type Host = string | null;

/** Attributes that lead somewhere, in whatever element they stand, `xlink:href` and those of comments among them. */
const LEADING = /(?:xlink:|form)?(?:href|action|ping)\s*=\s*/gi;
/** What stands before the name of an attribute; before a name within a URL stands `?` or `&`. */
const BEFORE_NAME = /[\s/"']/;
/** Of what stands within another value and has no quotes: a host is at its beginning. */
const NESTED_CHARACTERS = 300;

/**
 * Every place that looks like such an attribute counts, also one within the value of another: where a value begins and ends hangs on quotes
 * before it, as in `<a title='href='# href='https://…'>`.
 */
function attributeHosts(html: string): Host[] {
  const hosts: Host[] = [];
  let seenTo = 0;
  for (const { 0: name, index } of html.matchAll(LEADING)) {
    const isNested = index < seenTo;
    if (isNested && !BEFORE_NAME.test(html[index - 1] ?? '')) continue;
    const value = valueAt(html, index + name.length, isNested ? NESTED_CHARACTERS : html.length);
    seenTo = Math.max(seenTo, index + name.length + value.length);
    hosts.push(...hostsOf(decodeAttribute(unquoted(value))));
  }
  return hosts;
}

/** A value with its quotes. */
function valueAt(html: string, at: number, maxUnquoted: number): string {
  const quote = html[at];
  const end = quote === '"' || quote === "'" ? html.indexOf(quote, at + 1) : -1;
  if (end >= 0) return html.slice(at, end + 1);
  return /^[^\s>]+/.exec(html.slice(at, at + maxUnquoted))?.[0] ?? '';
}

function unquoted(value: string): string {
  return value.replace(/^(["'])(.*)\1$/s, '$2').replace(/^["']/, '');
}

/** Schemes that lead to no host: mail, telephones, and parts of the message itself. */
const HARMLESS = /^(?:mailto|tel|sms|cid|mid):/i;
/** The place of the recipient's own unsubscribe link, which is this server's. */
const OWN_PLACE = /^\{\{\s*unsubscribe_url\s*\}\}$/;

function hostsOf(attribute: string): Host[] {
  const url = urlOf(attribute);
  if (url === '' || url.startsWith('#') || HARMLESS.test(url) || OWN_PLACE.test(url)) return [];
  return [hostOf(url)];
}

/** Any base serves: what leads nowhere by itself cannot be judged, and is told apart by leading to the base. */
const NOWHERE = 'https://nowhere.invalid';

/** As browsers read it: user names are no host, backslashes are slashes, `//host` is one too, and other alphabets become A-labels. */
function hostOf(url: string): Host {
  const { hostname = '' } = URL.parse(url, NOWHERE) ?? {};
  const host = hostname.replace(/\.$/, '').toLowerCase();
  return host === '' || host === 'nowhere.invalid' ? null : (toAsciiDomain(host) ?? host);
}

/** What mail programs make links of in plain text: URLs of whatever scheme, and names that end like those of a host. */
const URL_IN_TEXT = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s<>"`]+/gi;
/** Punctuation of the sentence that a URL stands in. */
const SENTENCE_END = /[)\]}.,;:!?'*|]{1,9}$/;
/** A name with what stands right beside it. */
const WORD = /[\p{L}\p{N}.@/_-]+/gu;
/** RFC 1035, section 2.3.4, in text, and the dot at its end. */
const NAME_CHARACTERS = 254;

function textHosts(text: string): Host[] {
  return [...urlHosts(text), ...bareNames(text.replace(URL_IN_TEXT, ' '))];
}

function urlHosts(text: string): Host[] {
  return [...text.matchAll(URL_IN_TEXT)].map(([url]) => hostOf(url.replace(SENTENCE_END, '')));
}

function* bareNames(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) {
    // Addresses of mail lead to no host; of a path the host is what stands before it.
    const name = (word.includes('@') ? '' : (word.split('/', 1)[0] ?? '')).replace(/^[._-]{1,9}|[._-]{1,9}$/g, '');
    if (!name.includes('.') || name.length > NAME_CHARACTERS) continue;
    const host = toAsciiDomain(name.toLowerCase());
    // A file name or the end of a sentence looks like a host, too: only what ends as names do in the DNS is one.
    if (host !== null && (parseName(host).isIcann === true || host.startsWith('www.'))) yield host;
  }
}
