/**
 * A token of HTML as a browser reads it without scripts. Comments and declarations are omitted. Values and text keep
 * their character references.
 */
export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'start'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'end'; readonly name: string }
  /** The text of a `style` element. It contains no `</style`. */
  | { readonly kind: 'style'; readonly text: string };

/** Elements whose content is text up to their own end tag, and whether browsers show that text. */
const RAW_TEXT: ReadonlyMap<string, 'shown' | 'hidden' | 'style'> = new Map([
  ...(['xmp', 'textarea', 'plaintext'] as const).map((name) => [name, 'shown'] as const),
  ...(['script', 'iframe', 'noembed', 'noframes', 'title'] as const).map((name) => [name, 'hidden'] as const),
  ['style', 'style'] as const,
]);

const SPACE = /[\t\n\f\r ]/;
const NAME_END = /[\t\n\f\r />]/g;
const ATTRIBUTE_NAME_END = /[\t\n\f\r />=]/g;
const BARE_VALUE_END = /[\t\n\f\r >]/g;

/** Parses HTML in one pass, in time linear in its length. An unclosed tag or comment hides the rest, as in browsers. */
export function* readHtmlTokens(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const textEnd = open === -1 ? html.length : open;
    if (textEnd > at) yield { kind: 'text', text: html.slice(at, textEnd) };
    if (open === -1) return;
    if (/[a-z]/i.test(html.charAt(open + 1))) {
      at = yield* readStartTag(html, open);
    } else if (html.startsWith('</', open) && /[a-z]/i.test(html.charAt(open + 2))) {
      const { name, end } = readTag(html, open + 2);
      if (end <= html.length) yield { kind: 'end', name };
      at = end;
    } else if (/[!?/]/.test(html.charAt(open + 1))) {
      at = skipDeclaration(html, open);
    } else {
      yield { kind: 'text', text: '<' };
      at = open + 1;
    }
  }
}

function* readStartTag(html: string, open: number): Generator<HtmlToken, number> {
  const tag = readTag(html, open + 1);
  if (tag.end > html.length) return tag.end;
  const raw = RAW_TEXT.get(tag.name);
  if (raw === undefined) {
    yield { kind: 'start', name: tag.name, attributes: tag.attributes };
    return tag.end;
  }
  const end = tag.name === 'plaintext' ? html.length : rawTextEnd(html, tag.end, tag.name);
  const text = html.slice(tag.end, end);
  if (raw !== 'hidden') yield { kind: raw === 'style' ? 'style' : 'text', text };
  return end;
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

function skipDeclaration(html: string, open: number): number {
  if (!html.startsWith('<!--', open)) return indexAfter(html, '>', open);
  // "<!-->" and "<!--->" are whole comments.
  const short = /^-?>/.exec(html.slice(open + 4, open + 6));
  if (short !== null) return open + 4 + short[0].length;
  const end = /--!?>/g;
  end.lastIndex = open + 4;
  return end.exec(html) === null ? html.length : end.lastIndex;
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
