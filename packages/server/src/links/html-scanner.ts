import { createForeignContent, type ForeignContent } from './foreign-content.ts';

/** A link in an HTML text: the position of its `href` value, and the marks on its element. */
export interface HtmlLink {
  /** The raw value: without quotes, character references not decoded. */
  readonly start: number;
  readonly end: number;
  /** Marked `data-unsubscribe`: never changed. */
  readonly isUnsubscribe: boolean;
  /** Marked `data-no-track`: tagged like any other link, but not tracked. */
  readonly isUntracked: boolean;
}

export interface ScannedHtml {
  /** The `a` and `area` elements with an `href`, in text order. */
  readonly links: readonly HtmlLink[];
  /** Where markup can be added to the end of the page: before `</body>` if there is one. */
  readonly pageEnd: number;
}

/**
 * Finds the links of an HTML text like the tokenizer of the standard (WHATWG HTML §13.2.5): comments, including
 * Outlook's conditional ones, and the text of `script`, `style`, `title`, `textarea` and similar elements contain none.
 * Links in SVG and MathML are ignored. One pass, linear in the length for any input. Never throws.
 */
export function scanHtml(html: string): ScannedHtml {
  return new HtmlScanner(html).scan();
}

const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const BANG = 0x21;
const QUESTION = 0x3f;

type TagKind = 'link' | 'raw text' | 'script' | 'plain text' | 'body' | 'foreign';

/** The tags that matter to the scanner. */
const TAG_KINDS: Readonly<Record<string, TagKind>> = {
  ...{ a: 'link', area: 'link', body: 'body', svg: 'foreign', math: 'foreign' },
  ...{ iframe: 'raw text', noembed: 'raw text', noframes: 'raw text', style: 'raw text', textarea: 'raw text' },
  ...{ title: 'raw text', xmp: 'raw text', script: 'script', plaintext: 'plain text' },
};

/** The same by length and first letter: most tags are not among them, and this check needs no substring. */
const CANDIDATES: (readonly string[] | undefined)[] = [];
for (const name of Object.keys(TAG_KINDS)) {
  const slot = slotOf(name.length, name.charCodeAt(0));
  CANDIDATES[slot] = [...(CANDIDATES[slot] ?? []), name];
}

function slotOf(length: number, firstLetter: number): number {
  return (length << 5) | (firstLetter & 0x1f);
}

type LinkDraft = { -readonly [Name in keyof HtmlLink]: HtmlLink[Name] };

class HtmlScanner {
  readonly #html: string;
  readonly #links: HtmlLink[] = [];
  /** The position of the last `</body>`, or -1. */
  #bodyEnd = -1;
  #foreign: ForeignContent | null = null;
  /** Of the attributes that were read last. */
  #isSelfClosing = false;

  constructor(html: string) {
    this.#html = html;
  }

  scan(): ScannedHtml {
    const html = this.#html;
    let at = html.indexOf('<');
    while (at !== -1) {
      const end = this.#readMarkup(at);
      // Unclosed markup hides the rest, as in browsers: visible content must be before it.
      if (end === -1) return { links: this.#links, pageEnd: this.#bodyEnd === -1 ? at : this.#bodyEnd };
      at = html.indexOf('<', end);
    }
    return { links: this.#links, pageEnd: this.#bodyEnd === -1 ? html.length : this.#bodyEnd };
  }

  /** Reads the markup that the "<" at `at` opens. Returns the index after it, or -1 if it never ends. */
  #readMarkup(at: number): number {
    const html = this.#html;
    const next = html.charCodeAt(at + 1);
    if (isLetter(next)) return this.#readStartTag(at);
    if (next === BANG) return this.#skipDeclaration(at);
    if (next === QUESTION) return indexAfter(html, '>', at);
    if (next !== SLASH) return at + 1;
    if (isLetter(html.charCodeAt(at + 2))) return this.#readEndTag(at);
    return at + 2 < html.length ? indexAfter(html, '>', at + 2) : at + 2;
  }

  #readStartTag(at: number): number {
    const nameEnd = this.#nameEnd(at + 1);
    const kind = this.#kindOf(at + 1, nameEnd);
    if (this.#foreign !== null) return this.#readForeignStartTag(at, nameEnd);
    if (kind === 'link') return this.#readLink(nameEnd);
    const end = this.#readAttributes(nameEnd, null);
    if (end === -1 || kind === null || kind === 'body') return end;
    if (kind === 'raw text') return this.#rawTextEnd(end, this.#html.slice(at + 1, nameEnd).toLowerCase());
    if (kind === 'script') return this.#scriptEnd(end);
    if (kind === 'plain text') return -1;
    if (!this.#isSelfClosing) this.#foreign = createForeignContent(this.#html.slice(at + 1, nameEnd));
    return end;
  }

  #readLink(nameEnd: number): number {
    const link: LinkDraft = { start: -1, end: -1, isUnsubscribe: false, isUntracked: false };
    const end = this.#readAttributes(nameEnd, link);
    if (end !== -1 && link.start !== -1) this.#links.push(link);
    return end;
  }

  #readForeignStartTag(at: number, nameEnd: number): number {
    const name = this.#html.slice(at + 1, nameEnd);
    // Parsed again as HTML: the tag that ends SVG may open a link or a raw text element.
    if (!this.#foreign?.staysIn(name)) {
      this.#foreign = null;
      return this.#readStartTag(at);
    }
    const end = this.#readAttributes(nameEnd, null);
    if (!this.#isSelfClosing) this.#foreign.open(name);
    return end;
  }

  #readEndTag(at: number): number {
    const nameEnd = this.#nameEnd(at + 2);
    if (this.#foreign !== null && !this.#foreign.close(this.#html.slice(at + 2, nameEnd))) this.#foreign = null;
    if (this.#foreign === null && this.#kindOf(at + 2, nameEnd) === 'body') this.#bodyEnd = at;
    return this.#readAttributes(nameEnd, null);
  }

  #nameEnd(from: number): number {
    const html = this.#html;
    let at = from;
    while (at < html.length && !endsTagName(html.charCodeAt(at))) at++;
    return at;
  }

  #kindOf(start: number, end: number): TagKind | null {
    const candidates = CANDIDATES[slotOf(end - start, this.#html.charCodeAt(start))];
    const name = candidates?.find((candidate) => isNameAt(this.#html, start, candidate));
    return name === undefined ? null : (TAG_KINDS[name] ?? null);
  }

  /** Reads the attributes from `from` on. Returns the index after the tag's ">", or -1. `link` receives what matters for a link. */
  #readAttributes(from: number, link: LinkDraft | null): number {
    const html = this.#html;
    this.#isSelfClosing = false;
    let at = from;
    while (at < html.length) {
      const code = html.charCodeAt(at);
      if (code === GREATER) return at + 1;
      if (code === SLASH || isHtmlSpace(code)) {
        this.#isSelfClosing = code === SLASH && html.charCodeAt(at + 1) === GREATER;
        at++;
        continue;
      }
      const valueStart = skipName(html, at);
      const end = valueStart < 0 ? ~valueStart : valueEnd(html, valueStart);
      if (end === -1) return -1;
      if (link !== null) keepAttribute(link, html, at, valueStart, end);
      at = end;
    }
    return -1;
  }

  #skipDeclaration(at: number): number {
    const html = this.#html;
    if (html.startsWith('<!--', at)) return commentEnd(html, at);
    if (this.#foreign !== null && html.startsWith('<![CDATA[', at)) return indexAfter(html, ']]>', at);
    return indexAfter(html, '>', at);
  }

  /** The index of the end tag that closes a raw text element. */
  #rawTextEnd(from: number, name: string): number {
    const html = this.#html;
    let at = html.indexOf('</', from);
    while (at !== -1) {
      if (isNameAt(html, at + 2, name) && endsTagName(html.charCodeAt(at + 2 + name.length))) return at;
      at = html.indexOf('</', at + 2);
    }
    return -1;
  }

  /** The same for a script. Its comments may contain a nested script whose end tag does not count (WHATWG HTML §13.2.5.15 to 31). */
  #scriptEnd(from: number): number {
    const marks = /<!--|-->|<\/?script(?=[\t\n\f\r />])/gi;
    marks.lastIndex = from;
    let state: 'plain' | 'escaped' | 'double escaped' = 'plain';
    for (let mark = marks.exec(this.#html); mark !== null; mark = marks.exec(this.#html)) {
      const isEndTag = mark[0].startsWith('</');
      if (isEndTag && state !== 'double escaped') return mark.index;
      if (mark[0] === '<!--') {
        if (state === 'plain') state = 'escaped';
        // Its own hyphens may be part of the "-->" that ends it.
        marks.lastIndex -= 2;
      } else if (mark[0] === '-->') state = 'plain';
      else if (state !== 'plain') state = isEndTag ? 'escaped' : 'double escaped';
    }
    return -1;
  }
}

/** HTML's own white space. Unlike \s it does not include the no-break space. */
function isHtmlSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function endsTagName(code: number): boolean {
  // Nearly every character of a name is greater than all that can end it.
  return code <= GREATER && (code === GREATER || code === SLASH || isHtmlSpace(code));
}

function endsAttributeName(code: number): boolean {
  return code === EQUALS || endsTagName(code);
}

/** `name` is in lowercase. */
function isNameAt(html: string, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    if ((html.charCodeAt(at + i) | 0x20) !== name.charCodeAt(i)) return false;
  }
  return true;
}

/** The index after the next `text`, or -1. */
function indexAfter(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from);
  return at === -1 ? -1 : at + text.length;
}

function nameEndOf(html: string, start: number): number {
  // The first character always belongs to the name, even "=" (WHATWG HTML §13.2.5.32).
  let at = start + 1;
  while (at < html.length && !endsAttributeName(html.charCodeAt(at))) at++;
  return at;
}

function skipSpace(html: string, from: number): number {
  let at = from;
  while (at < html.length && isHtmlSpace(html.charCodeAt(at))) at++;
  return at;
}

/**
 * The start of the value of the attribute whose name starts at `start`. Without a value, the bitwise complement of the
 * position to continue at.
 */
function skipName(html: string, start: number): number {
  const afterName = skipSpace(html, nameEndOf(html, start));
  if (html.charCodeAt(afterName) !== EQUALS) return ~afterName;
  return skipSpace(html, afterName + 1);
}

/** The index after the value, including its closing quote; -1 if a quoted value never ends. */
function valueEnd(html: string, start: number): number {
  const quote = html.charCodeAt(start);
  if (quote === DOUBLE_QUOTE) return indexAfter(html, '"', start + 1);
  if (quote === SINGLE_QUOTE) return indexAfter(html, "'", start + 1);
  let at = start;
  while (at < html.length && html.charCodeAt(at) !== GREATER && !isHtmlSpace(html.charCodeAt(at))) at++;
  return at;
}

/** `valueStart` is negative if the attribute has no value. The first of a repeated attribute counts (WHATWG HTML §13.2.5.33). */
function keepAttribute(link: LinkDraft, html: string, nameStart: number, valueStart: number, end: number): void {
  const nameEnd = nameEndOf(html, nameStart);
  const name = html.slice(nameStart, nameEnd).toLowerCase();
  if (name === 'data-unsubscribe') link.isUnsubscribe = true;
  else if (name === 'data-no-track') link.isUntracked = true;
  if (name !== 'href' || link.start !== -1) return;
  const first = html.charCodeAt(valueStart);
  const isQuoted = first === DOUBLE_QUOTE || first === SINGLE_QUOTE;
  if (valueStart < 0) [link.start, link.end] = [nameEnd, nameEnd];
  else [link.start, link.end] = isQuoted ? [valueStart + 1, end - 1] : [valueStart, end];
}

/**
 * The index after the comment that opens at `at`: after "-->" or "--!>", of which the first may overlap the opening
 * (WHATWG HTML §13.2.5.43).
 */
function commentEnd(html: string, at: number): number {
  let dashes = html.indexOf('--', at + 2);
  while (dashes !== -1) {
    const after = html.charCodeAt(dashes + 2);
    if (after === GREATER) return dashes + 3;
    if (after === BANG && dashes >= at + 4 && html.charCodeAt(dashes + 3) === GREATER) return dashes + 4;
    dashes = html.indexOf('--', dashes + 1);
  }
  return -1;
}
