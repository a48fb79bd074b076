import { decodeAttribute } from '../links/attribute-text.ts';
import { type Host, hostsOfLink } from './url-host.ts';

/**
 * Attributes that may lead somewhere, in whatever element they are, those of comments among them: some mail programs read those. A name
 * ends here and may begin before, as `data-href` does.
 */
const NAMES =
  /(?:xlink:|form)?(href|action|ping|xml:base|content|values|to|from|by|src|data|srcdoc|codebase|classid|archive|value)$/i;
/** The longest of them. */
const NAME_CHARACTERS = 12;
/** Those that lead wherever they say. */
const LEADING = new Set(['href', 'action', 'ping', 'xml:base']);
/** Those that lead where another page is shown within the message, if any is. */
const FRAMING = new Set(['src', 'data', 'codebase', 'classid', 'archive']);
const FRAME = /<(?:iframe|frame|embed|object|applet|portal|fencedframe|webview)(?=[\s/>])/i;
/** What is before the name of an attribute; before a name within a URL is `?` or `&`. */
const BEFORE_NAME = /[\s/"']/;
/** Of a value within another value that has no quotes: a host is at its beginning. */
const NESTED_CHARACTERS = 300;

/**
 * Where the attributes of an HTML text lead. Every place that looks like an attribute counts, also within the value of another: where a
 * value begins and ends depends on quotes before it, as in `<a title='href='# href='https://…'>`.
 */
export function attributeHosts(html: string): readonly Host[] {
  const hosts: Host[] = [];
  const hasFrames = FRAME.test(html);
  let seenTo = 0;
  for (let equals = html.indexOf('='); equals !== -1; equals = html.indexOf('=', equals + 1)) {
    const nameEnd = skipBlanks(html, equals, -1);
    const { 0: written = '', 1: name = '' } =
      NAMES.exec(html.slice(Math.max(0, nameEnd - NAME_CHARACTERS), nameEnd)) ?? [];
    const isNested = nameEnd - written.length < seenTo;
    if (name === '' || (isNested && !BEFORE_NAME.test(html[nameEnd - written.length - 1] ?? ''))) continue;
    const start = skipBlanks(html, equals + 1, 1);
    const value = valueAt(html, start, isNested ? NESTED_CHARACTERS : html.length);
    seenTo = Math.max(seenTo, start + value.length);
    for (const host of hostsOfAttribute(name.toLowerCase(), decodeAttribute(unquoted(value)), hasFrames))
      hosts.push(host);
  }
  return hosts;
}

/** Where the blanks end that are before `at`, or behind it. */
function skipBlanks(html: string, at: number, step: 1 | -1): number {
  let next = at;
  while (/\s/.test(html[step === 1 ? next : next - 1] ?? '')) next += step;
  return next;
}

function hostsOfAttribute(name: string, value: string, hasFrames: boolean): readonly Host[] {
  if (LEADING.has(name) || (hasFrames && FRAMING.has(name))) return hostsOfLink(value);
  if (name === 'srcdoc') return [null];
  return FRAMING.has(name) || (name === 'value' && !hasFrames) ? [] : hostsInList(value);
}

/** The text before a URL in the `content` of a refresh: `0; url='https://…'`. */
const REFRESH = /^[\d.]{0,20}\s{0,20}(url\s{0,20}=\s{0,20})?/i;
const ABSOLUTE = /^(?:(?:https?|ftp|wss?|javascript|vbscript|data):|[a-z][a-z0-9+.-]{0,30}:[\\/]{2}|[\\/]{2})/i;

/** Values that are mostly no links: the steps of an SVG animation, which may be of `href`, and what `meta` says. Only whole URLs count. */
function hostsInList(value: string): readonly Host[] {
  return value.split(/[;,]/).flatMap((part) => {
    const trimmed = part.trim();
    const [before = '', url] = REFRESH.exec(trimmed) ?? [];
    const link = trimmed.slice(before.length).replaceAll(/["']/g, '');
    return url !== undefined || ABSOLUTE.test(link) ? hostsOfLink(link) : [];
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
