import { decodeAttribute } from '@postrider/review';
import { opensApp } from './app-schemes.ts';
import { cssHosts, styleHosts } from './css-hosts.ts';
import { urlHosts } from './text-hosts.ts';
import { type Host, hostsOfLink } from './url-host.ts';

/**
 * Attributes whose value is a link or a loaded resource on any element, including elements in comments: some mail
 * programs read those. A name ends here and may have a prefix, as in `data-href`.
 */
const NAMES =
  /(?:xlink:|form)?(href|action|ping|xml:base|content|values|to|from|by|src|srcset|background|poster|lowsrc|dynsrc|longdesc|cite|manifest|profile|data|srcdoc|codebase|classid|archive|value)$/i;
/** The longest of them. */
const NAME_CHARACTERS = 12;
/** Those that always lead to their value. */
const LEADING = new Set([
  ...[
    'href',
    'action',
    'xml:base',
    'src',
    'background',
    'poster',
    'lowsrc',
    'dynsrc',
    'longdesc',
    'cite',
    'manifest',
    'profile',
  ],
]);
/** Those with several URLs, separated by spaces or commas. */
const LISTING = new Set(['ping', 'srcset', 'archive']);
/** Those that only apply when another page is shown within the message. */
const FRAMING = new Set(['data', 'codebase', 'classid', 'value']);
const FRAME = /<(?:iframe|frame|embed|object|applet|portal|fencedframe|webview)(?=[\s/>])/i;
/** Those of an SVG animation, which may animate `href`. */
const ANIMATING = new Set(['values', 'to', 'from', 'by']);
/** Names of namespaces and vocabularies, which are not links. */
const NAMING = /^(?:xmlns(?::.*)?|itemtype|itemid|vocab|typeof|prefix|property|rel|resource)$/i;
/** What ends an attribute name, read from its end. */
const NAME_END = /[\s"'<>/=]/;
const ANY_NAME_CHARACTERS = 64;
/** What precedes an attribute name. A parameter name within a URL is preceded by `?` or `&`. */
const BEFORE_NAME = /[\s/"']/;
/** For an unquoted value within another value: the host is at its start. */
const NESTED_CHARACTERS = 300;

/**
 * Finds the destinations of all attributes in an HTML text. Every place that looks like an attribute counts, also within
 * the value of another: where a value begins and ends depends on earlier quotes, as in `<a title='href='#
 * href='https://…'>`.
 */
export function attributeHosts(html: string): readonly Host[] {
  const hosts: Host[] = [];
  const page = { hasFrames: FRAME.test(html), refreshes: REFRESHES.test(html) };
  let seenTo = 0;
  for (let equals = html.indexOf('='); equals !== -1; equals = html.indexOf('=', equals + 1)) {
    const nameEnd = skipBlanks(html, equals, -1);
    const { 0: written = '', 1: known = '' } =
      NAMES.exec(html.slice(Math.max(0, nameEnd - NAME_CHARACTERS), nameEnd)) ?? [];
    const isNested = nameEnd - Math.max(1, written.length) < seenTo;
    const name = known === '' && !isNested ? nameBefore(html, nameEnd) : known;
    if (name === '' || (isNested && !BEFORE_NAME.test(html[nameEnd - written.length - 1] ?? ''))) continue;
    const start = skipBlanks(html, equals + 1, 1);
    const value = valueAt(html, start, isNested ? NESTED_CHARACTERS : html.length);
    seenTo = Math.max(seenTo, start + value.length);
    const raw = unquoted(value);
    const decoded = decodeAttribute(raw);
    for (const host of hostsOfAttribute(name.toLowerCase(), decoded, page)) hosts.push(host);
    if (decoded === raw) continue;
    // Style sheets are searched in the raw source.
    for (const host of cssHosts(decoded)) hosts.push(host);
    if (known !== '' && isReferenced(raw)) hosts.push(null);
  }
  return hosts;
}

/**
 * Whether a character reference is in the part of a URL that decides its destination: a program that does not decode it
 * uses another destination.
 */
function isReferenced(raw: string): boolean {
  const [, authority] = /^\s*(?:[a-z][a-z0-9+.-]{0,30}:)?[\\/]{2}([^/?#\\]*)/i.exec(raw) ?? [];
  return authority?.includes('&') ?? false;
}

function nameBefore(html: string, end: number): string {
  let start = end;
  while (start > 0 && end - start < ANY_NAME_CHARACTERS && !NAME_END.test(html[start - 1] ?? '')) start -= 1;
  return html.slice(start, end);
}

/** The end of the white space before `at`, or after it. */
function skipBlanks(html: string, at: number, step: 1 | -1): number {
  let next = at;
  while (/\s/.test(html[step === 1 ? next : next - 1] ?? '')) next += step;
  return next;
}

interface Page {
  readonly hasFrames: boolean;
  readonly refreshes: boolean;
}

function hostsOfAttribute(name: string, value: string, { hasFrames, refreshes }: Page): readonly Host[] {
  if (LEADING.has(name) || (hasFrames && FRAMING.has(name))) return hostsOfLink(value);
  if (LISTING.has(name)) return hostsOfCandidates(value);
  if (name === 'srcdoc') return [null];
  if (name === 'style') return styleHosts(value);
  if (NAMING.test(name)) return [];
  const listed = [
    ...(name === 'content' && refreshes ? hostsOfRefresh(value) : []),
    ...hostsInList(value, ANIMATING.has(name)),
  ];
  // Text in place of an image is shown.
  return name === 'content' || ANIMATING.has(name) ? listed : [...listed, ...urlHosts(value)];
}

/** A number with `w`, `h` or `x` after a URL in `srcset`. */
const DESCRIPTOR = /^\d{1,10}(?:\.\d{1,10})?[whx]$/i;

/** URLs separated by spaces, possibly with commas around or within them. */
function hostsOfCandidates(value: string): readonly Host[] {
  return value
    .split(/\s+/)
    .flatMap((token) => [withoutCommas(token), ...token.split(',').slice(1).filter(isAbsolute)])
    .filter((url) => url !== '' && !DESCRIPTOR.test(url))
    .flatMap((url) => hostsOfLink(url));
}

/** Without the surrounding commas. */
function withoutCommas(token: string): string {
  let [start, end] = [0, token.length];
  while (token[start] === ',') start += 1;
  while (end > start && token[end - 1] === ',') end -= 1;
  return token.slice(start, end);
}

/** A page that loads another page by itself. The word may be written with character references. */
const REFRESHES = /http-equiv\s*=\s*["']?[^"'>&]{0,7}(?:refresh|&)/i;
const DELAY = /^[\s\d.;,]+/;
const URL_NAME = /^url\s*=\s*/i;

/** The text after the number is a URL, with or without `url=` (WHATWG HTML, shared declarative refresh steps). */
function hostsOfRefresh(value: string): readonly Host[] {
  const [delay = ''] = DELAY.exec(value) ?? [];
  const url = value.slice(delay.length).replace(URL_NAME, '').replaceAll(/["']/g, '');
  return /[\d.]/.test(delay) && url !== '' ? hostsOfLink(url) : [];
}

/** The text before a URL in the `content` of a refresh: `0; url='https://…'`. */
const REFRESH = /^[\d.]{0,20}\s{0,20}(url\s{0,20}=\s{0,20})?/i;
const ABSOLUTE = /^(?:(?:https?|ftp|wss?):|[a-z][a-z0-9+.-]{0,30}:[\\/]{2}|[\\/]{2})/i;
const SCHEME = /^([a-z][a-z0-9+.-]{0,30}):(.?)/i;

function isAbsolute(url: string): boolean {
  const [, scheme = '', next = ''] = SCHEME.exec(url) ?? [];
  return (
    ABSOLUTE.test(url) ||
    opensApp(scheme.toLowerCase(), url.slice(scheme.length + 1)) ||
    (scheme === 'data' && next !== '')
  );
}

/**
 * Values that are usually not links: the steps of an SVG animation, which may animate `href`, and `meta` content. Only
 * complete URLs count.
 */
function hostsInList(value: string, isAnimating: boolean): readonly Host[] {
  return value.split(/[;,]/).flatMap((part) => {
    const trimmed = part.trim();
    const [before = '', url] = REFRESH.exec(trimmed) ?? [];
    const link = trimmed.slice(before.length).replaceAll(/["'\t\n\r]/g, '');
    const counts = url !== undefined || isAbsolute(link) || (isAnimating && SCHEME.test(link));
    return counts ? hostsOfLink(link) : [];
  });
}

/** A value with its quotes. */
function valueAt(html: string, at: number, maxUnquoted: number): string {
  const quote = html[at];
  const end = quote === '"' || quote === "'" ? html.indexOf(quote, at + 1) : -1;
  if (end >= 0) return html.slice(at, end + 1);
  return /^[^\s>]+/.exec(html.slice(at, at + maxUnquoted))?.[0] ?? '';
}

function unquoted(value: string): string {
  const first = value[0];
  if (first !== '"' && first !== "'") return value;
  return value.length > 1 && value.endsWith(first) ? value.slice(1, -1) : value.slice(1);
}
