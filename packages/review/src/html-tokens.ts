/** A token of HTML as a browser reads it without scripts. Values and text keep their character references. */
export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'start'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'end'; readonly name: string }
  /** The text of a `style` element. It contains no `</style`. */
  | { readonly kind: 'style'; readonly text: string }
  /** Encloses the content of a conditional comment, which only Outlook shows. Only for `any-client`. */
  | { readonly kind: 'outlook'; readonly isEnd: boolean };

/**
 * Whose reading it is. `browser` is exact. `any-client` includes everything that one mail client or another shows: conditional comments are
 * parsed, and markup that depends on its context and unfinished tags are text.
 */
export type HtmlReader = 'browser' | 'any-client';

/** Elements whose content is text up to their own end tag, and whether browsers show that text. */
const RAW_TEXT: ReadonlyMap<string, 'shown' | 'hidden' | 'style'> = new Map([
  ...(['xmp', 'textarea', 'plaintext'] as const).map((name) => [name, 'shown'] as const),
  ...(['script', 'iframe', 'noembed', 'noframes', 'title'] as const).map((name) => [name, 'hidden'] as const),
  ['style', 'style'] as const,
]);
/** Within SVG these are ordinary elements, whose content can be visible. */
const MAYBE_MARKUP = new Set(['script', 'style', 'title']);

const SPACE = /[\t\n\f\r ]/;
const NAME_END = /[\t\n\f\r />]/g;
const ATTRIBUTE_NAME_END = /[\t\n\f\r />=]/g;
const BARE_VALUE_END = /[\t\n\f\r >]/g;

/** Parses HTML in one pass, in time linear in its length (WHATWG HTML, section 13.2.5). */
export function* readHtmlTokens(html: string, reader: HtmlReader = 'browser'): Generator<HtmlToken, void> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const textEnd = open === -1 ? html.length : open;
    if (textEnd > at) yield { kind: 'text', text: html.slice(at, textEnd) };
    if (open === -1) return;
    if (/[a-z]/i.test(html.charAt(open + 1))) {
      at = yield* readStartTag(html, open, reader);
    } else if (html.startsWith('</', open) && /[a-z]/i.test(html.charAt(open + 2))) {
      const { name, end } = readTag(html, open + 2);
      if (end <= html.length) yield { kind: 'end', name };
      else if (reader === 'any-client') yield { kind: 'text', text: html.slice(open) };
      at = end;
    } else if (html.startsWith('<!--', open)) {
      at = yield* readComment(html, open, reader);
    } else if (reader === 'any-client' && html.startsWith('<![CDATA[', open)) {
      // Text within SVG, and a comment elsewhere.
      yield { kind: 'text', text: html.slice(open) };
      return;
    } else if (/[!?/]/.test(html.charAt(open + 1))) {
      at = indexAfter(html, '>', open);
    } else {
      yield { kind: 'text', text: '<' };
      at = open + 1;
    }
  }
}

function* readStartTag(html: string, open: number, reader: HtmlReader): Generator<HtmlToken, number> {
  const { name, attributes, end } = readTag(html, open + 1);
  if (end > html.length) {
    // A browser drops an unclosed tag and everything after it.
    if (reader === 'any-client') yield { kind: 'text', text: html.slice(open) };
    return end;
  }
  const raw = RAW_TEXT.get(name);
  if (raw === undefined || name === 'textarea' || reader === 'any-client') yield { kind: 'start', name, attributes };
  const closesItself = reader === 'any-client' && html[end - 2] === '/';
  if (raw === undefined || closesItself) return end;
  const contentEnd = name === 'plaintext' && reader === 'browser' ? html.length : rawTextEnd(html, end, name);
  const text = html.slice(end, contentEnd);
  if (raw === 'style') yield { kind: 'style', text };
  const isShown = reader === 'browser' ? raw === 'shown' : !MAYBE_MARKUP.has(name) || /<[a-z]/i.test(text);
  if (isShown) yield { kind: 'text', text };
  return contentEnd;
}

interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** The index after the tag's ">"; past the end of the text if there is none. */
  readonly end: number;
}

/** @param start where the name of the tag begins */
function readTag(html: string, start: number): Tag {
  let at = search(html, NAME_END, start);
  const name = html.slice(start, at).toLowerCase();
  const attributes = new Map<string, string>();
  while (at < html.length && html[at] !== '>') {
    if (html[at] === '/' || SPACE.test(html.charAt(at))) {
      at += 1;
      continue;
    }
    // The first character always belongs to the name.
    const nameEnd = search(html, ATTRIBUTE_NAME_END, at + 1);
    const attribute = html.slice(at, nameEnd).toLowerCase();
    const value = readValue(html, nameEnd);
    if (!attributes.has(attribute)) attributes.set(attribute, value.text);
    at = value.end;
  }
  return { name, attributes, end: at + 1 };
}

/** @param nameEnd where the name of the attribute ended */
function readValue(html: string, nameEnd: number): { readonly text: string; readonly end: number } {
  const equals = skipSpace(html, nameEnd);
  if (html[equals] !== '=') return { text: '', end: equals };
  const start = skipSpace(html, equals + 1);
  const quote = html.charAt(start);
  if (quote === '"' || quote === "'") {
    const close = html.indexOf(quote, start + 1);
    const end = close === -1 ? html.length : close;
    return { text: html.slice(start + 1, end), end: end + 1 };
  }
  const end = search(html, BARE_VALUE_END, start);
  return { text: html.slice(start, end), end };
}

function skipSpace(html: string, from: number): number {
  let at = from;
  while (at < html.length && SPACE.test(html.charAt(at))) at += 1;
  return at;
}

/** Outlook parses the content of `<!--[if mso]>`. */
function* readComment(html: string, open: number, reader: HtmlReader): Generator<HtmlToken, number> {
  const { start, end } = commentAt(html, open);
  const content = html.slice(open + 4, start);
  const [condition] = reader === 'any-client' ? (/^\s{0,50}\[if[^\]]{0,200}\]>/.exec(content.slice(0, 300)) ?? []) : [];
  if (condition === undefined) return end;
  yield { kind: 'outlook', isEnd: false };
  // Comments do not nest, so what looks like one is text.
  yield* readHtmlTokens(content.slice(condition.length).replaceAll('<!--', '&lt;!--'), reader);
  yield { kind: 'outlook', isEnd: true };
  return end;
}

/** Where the end of a comment begins and where it ends. */
function commentAt(html: string, open: number): { readonly start: number; readonly end: number } {
  // "<!-->" and "<!--->" are whole comments.
  const [short] = /^-?>/.exec(html.slice(open + 4, open + 6)) ?? [];
  if (short !== undefined) return { start: open + 4, end: open + 4 + short.length };
  const closing = /--!?>/g;
  closing.lastIndex = open + 4;
  const found = closing.exec(html);
  if (found === null) return { start: html.length, end: html.length };
  return { start: found.index, end: closing.lastIndex };
}

/** The start of the end tag of a raw text element. */
function rawTextEnd(html: string, from: number, name: string): number {
  const end = new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

function indexAfter(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from);
  return at === -1 ? html.length : at + text.length;
}

/** The index of the next character of a class; the length of the text if there is none. */
function search(html: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}
