/** A tag as the text derivation needs it: its name and the few attributes that decide what a reader sees. */
export interface HtmlTag {
  /** In lowercase. */
  name: string;
  isClosing: boolean;
  /** Index after the closing ">". */
  end: number;
  /** Raw values, entities not decoded; null if absent. The first of a repeated attribute counts, as in browsers. */
  href: string | null;
  alt: string | null;
  style: string | null;
  /** Whether it has the attribute `hidden`. */
  isHidden: boolean;
}

/** Whether the "<" at `at` opens a tag (WHATWG HTML §13.2.5.6). Otherwise it is text or another kind of markup. */
export function opensTag(html: string, at: number): boolean {
  return isLetter(html.charCodeAt(at + 1)) || (html.charCodeAt(at + 1) === SLASH && isLetter(html.charCodeAt(at + 2)));
}

/**
 * Reads the tag that opens at `at` in one pass. Null if the document ends inside it: browsers then show none of the
 * rest, so the caller may stop, which keeps the whole derivation linear.
 */
export function readTag(html: string, at: number): HtmlTag | null {
  const isClosing = html.charCodeAt(at + 1) === SLASH;
  const nameStart = isClosing ? at + 2 : at + 1;
  let nameEnd = nameStart;
  while (nameEnd < html.length && !endsTagName(html.charCodeAt(nameEnd))) nameEnd++;
  const name = html.slice(nameStart, nameEnd).toLowerCase();
  const tag: HtmlTag = { name, isClosing, end: -1, href: null, alt: null, style: null, isHidden: false };
  let next = nameEnd;
  while (next < html.length) {
    const code = html.charCodeAt(next);
    if (code === GREATER) {
      tag.end = next + 1;
      return tag;
    }
    next = code === SLASH || isHtmlSpace(code) ? next + 1 : readAttribute(html, next, tag);
  }
  return null;
}

/** HTML's own white space. Unlike \s it does not include the no-break space. */
export function isHtmlSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
}

const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function endsTagName(code: number): boolean {
  return code === GREATER || code === SLASH || isHtmlSpace(code);
}

function endsAttributeName(code: number): boolean {
  return code === EQUALS || endsTagName(code);
}

function endsBareValue(code: number): boolean {
  return code === GREATER || isHtmlSpace(code);
}

function skipSpace(html: string, from: number): number {
  let at = from;
  while (at < html.length && isHtmlSpace(html.charCodeAt(at))) at++;
  return at;
}

/** Reads an attribute into the tag. Returns the index after it, or the document's length if it never ends. */
function readAttribute(html: string, nameStart: number, tag: HtmlTag): number {
  // The first character always belongs to the name, even "=" (WHATWG HTML §13.2.5.32).
  let nameEnd = nameStart + 1;
  while (nameEnd < html.length && !endsAttributeName(html.charCodeAt(nameEnd))) nameEnd++;
  if (nameEnd - nameStart === 6 && html.slice(nameStart, nameEnd).toLowerCase() === 'hidden') tag.isHidden = true;
  const afterName = skipSpace(html, nameEnd);
  if (html.charCodeAt(afterName) !== EQUALS) return afterName;
  const valueStart = skipSpace(html, afterName + 1);
  const quote = html.charCodeAt(valueStart);
  if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
    const valueEnd = html.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", valueStart + 1);
    if (valueEnd === -1) return html.length;
    keepAttribute(tag, html, nameStart, nameEnd, valueStart + 1, valueEnd);
    return valueEnd + 1;
  }
  let valueEnd = valueStart;
  while (valueEnd < html.length && !endsBareValue(html.charCodeAt(valueEnd))) valueEnd++;
  keepAttribute(tag, html, nameStart, nameEnd, valueStart, valueEnd);
  return valueEnd;
}

function keepAttribute(
  tag: HtmlTag,
  html: string,
  nameStart: number,
  nameEnd: number,
  valueStart: number,
  valueEnd: number,
): void {
  const length = nameEnd - nameStart;
  if (length < 3 || length > 5) return;
  const name = html.slice(nameStart, nameEnd).toLowerCase();
  if (name === 'href') tag.href ??= html.slice(valueStart, valueEnd);
  else if (name === 'alt') tag.alt ??= html.slice(valueStart, valueEnd);
  else if (name === 'style') tag.style ??= html.slice(valueStart, valueEnd);
}
