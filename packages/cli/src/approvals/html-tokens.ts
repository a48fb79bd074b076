import { decodeAttribute } from './decode-entities.ts';

export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'tag';
      /** In lower case. */
      readonly name: string;
      readonly isEnd: boolean;
      /** By name in lower case, decoded; of two attributes with one name the first counts. */
      readonly attributes: ReadonlyMap<string, string>;
    };

/** Invisible if they contain no tags: within SVG these are ordinary elements, whose content can be visible. */
const UNSEEN = new Set(['script', 'style', 'title']);
/** Their tags are text, except within SVG. Their content is shown unparsed, so nothing is hidden in either case. */
const VERBATIM = new Set(['textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

/**
 * The tags and the text of HTML as mail clients parse it (WHATWG HTML, section 13.2.5), in one pass. If clients differ, everything that one of
 * them shows is included: conditional comments are parsed, and context-dependent markup and unfinished tags are text.
 */
export function* tokensOf(html: string, isComment = false): Generator<HtmlToken, void> {
  let at = 0;
  while (at < html.length) {
    const next = html.indexOf('<', at);
    if (next !== at) yield { kind: 'text', text: html.slice(at, next < 0 ? html.length : next) };
    if (next < 0) return;
    at = next;
    if (html.startsWith('<!--', at) && !isComment) {
      const { inner, end } = readComment(html, at);
      if (inner !== null) yield* tokensOf(inner, true);
      at = end;
    } else if (html.startsWith('<![CDATA[', at)) {
      yield { kind: 'text', text: html.slice(at) };
      return;
    } else if (/^<(?:[!?]|\/[^a-z])/i.test(html.slice(at, at + 3)) && !html.startsWith('<!--', at)) {
      const end = html.indexOf('>', at);
      at = end < 0 ? html.length : end + 1;
    } else if (!/^<\/?[a-z]/i.test(html.slice(at, at + 3))) {
      yield { kind: 'text', text: '<' };
      at += 1;
    } else {
      const scanned = scanTag(html, at);
      if (scanned === null) {
        yield { kind: 'text', text: html.slice(at) };
        return;
      }
      const { tag, end, closesItself } = scanned;
      yield tag;
      at = end;
      if (tag.isEnd || closesItself || !(UNSEEN.has(tag.name) || VERBATIM.has(tag.name))) continue;
      const contentEnd = endOfContent(html, at, tag.name);
      const content = html.slice(at, contentEnd);
      if (VERBATIM.has(tag.name) || /<[a-z]/i.test(content)) yield { kind: 'text', text: content };
      at = contentEnd;
    }
  }
}

/** `inner`: the content that Outlook parses (`<!--[if mso]>`); null for an ordinary comment. */
function readComment(html: string, at: number): { readonly inner: string | null; readonly end: number } {
  const [abrupt] = /^-?>/.exec(html.slice(at + 4, at + 6)) ?? [];
  if (abrupt !== undefined) return { inner: null, end: at + 4 + abrupt.length };
  const closing = /--!?>/g;
  closing.lastIndex = at + 4;
  const found = closing.exec(html);
  const [start, end] = found === null ? [html.length, html.length] : [found.index, found.index + found[0].length];
  const [condition] = /^\s{0,50}\[if[^\]]{0,200}\]>/.exec(html.slice(at + 4, at + 300)) ?? [];
  return { inner: condition === undefined ? null : html.slice(at + 4 + condition.length, start), end };
}

/** The start of the end tag. */
function endOfContent(html: string, at: number, name: string): number {
  const end = new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi');
  end.lastIndex = at;
  return end.exec(html)?.index ?? html.length;
}

interface ScannedTag {
  readonly tag: Extract<HtmlToken, { kind: 'tag' }>;
  readonly end: number;
  readonly closesItself: boolean;
}

/**
 * Null for an unfinished tag. Parsed by hand: a regular expression would restart at every character of an unfinished name, and the position
 * of quotes decides which `>` ends a tag: `<b ">` is a whole tag, `<b a=">` is not.
 */
function scanTag(html: string, start: number): ScannedTag | null {
  let at = start + 1;
  const take = (isPart: (character: string) => boolean) => {
    const from = at;
    while (at < html.length && isPart(html[at] ?? '')) at += 1;
    return html.slice(from, at);
  };
  const isEnd = html[at] === '/';
  if (isEnd) at += 1;
  const name = take((character) => !isSpace(character) && character !== '/' && character !== '>').toLowerCase();
  const attributes = new Map<string, string>();
  for (;;) {
    take((character) => isSpace(character) || character === '/');
    if (at >= html.length) return null;
    if (html[at] === '>') {
      return { tag: { kind: 'tag', name, isEnd, attributes }, end: at + 1, closesItself: html[at - 1] === '/' };
    }
    // An equals sign at the start of a name is part of it.
    const from = at;
    at += 1;
    take((character) => !isSpace(character) && !'/>='.includes(character));
    const attribute = html.slice(from, at).toLowerCase();
    take(isSpace);
    let value = '';
    if (html[at] === '=') {
      at += 1;
      take(isSpace);
      const quote = html[at] ?? '';
      if (quote === '"' || quote === "'") {
        const end = html.indexOf(quote, at + 1);
        if (end < 0) return null;
        value = html.slice(at + 1, end);
        at = end + 1;
      } else {
        value = take((character) => !isSpace(character) && character !== '>');
      }
    }
    if (!attributes.has(attribute)) attributes.set(attribute, decodeAttribute(value).trim());
  }
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r' || character === '\f';
}
