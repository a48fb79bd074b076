import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
import { type ElementRule, ruleOf } from '../html/element-rules.ts';
import { type HtmlTag, isHtmlSpace, opensTag, readTag } from '../html/html-tag.ts';
import { TextLayout } from './text-layout.ts';

/**
 * Derives the plain text of a message from its HTML if the sender gave none. Never throws, and takes time linear in the length for any
 * input: unterminated markup hides the rest, as in browsers.
 * @returns text with LF line ends, empty if the HTML shows no text.
 */
export function deriveText(html: string): string {
  const page = new TextPage();
  let at = 0;
  while (at < html.length) {
    const markup = findMarkup(html, at);
    if (markup > at) page.addText(html.slice(at, markup));
    at = markup < html.length ? readMarkup(html, markup, page) : markup;
  }
  return page.finish();
}

/** The next "<" that opens markup, or the end. */
function findMarkup(html: string, from: number): number {
  let at = html.indexOf('<', from);
  while (at !== -1) {
    if (opensTag(html, at) || opensDeclaration(html.charCodeAt(at + 1))) return at;
    at = html.indexOf('<', at + 1);
  }
  return html.length;
}

/** "<!" and "<?", and "</" before anything but a name, which browsers read as a comment. */
function opensDeclaration(next: number): boolean {
  return next === 0x21 || next === 0x2f || next === 0x3f;
}

/** Handles the markup at `at` and returns the index after it. */
function readMarkup(html: string, at: number, page: TextPage): number {
  if (!opensTag(html, at)) return skipDeclaration(html, at);
  const tag = readTag(html, at);
  if (tag === null) return html.length;
  const rule = ruleOf(tag.name);
  if (tag.isClosing) {
    page.closeElement(tag.name, rule);
    return tag.end;
  }
  page.openElement(tag, rule);
  return rule.content === 'raw text' ? findRawTextEnd(html, tag.end, tag.name) : tag.end;
}

/** A comment ends at the first "-->", which may overlap its opening; doctypes and similar markup end at ">". */
function skipDeclaration(html: string, at: number): number {
  const isComment = html.startsWith('<!--', at);
  const end = isComment ? html.indexOf('-->', at + 2) : html.indexOf('>', at);
  if (end === -1) return html.length;
  return end + (isComment ? 3 : 1);
}

/** The index of the end tag that closes a raw text element, or the end of the document. */
function findRawTextEnd(html: string, from: number, name: string): number {
  let at = html.indexOf('</', from);
  while (at !== -1) {
    const nameEnd = at + 2 + name.length;
    const after = html.charCodeAt(nameEnd);
    const isNameEnd = after === 0x3e || after === 0x2f || isHtmlSpace(after);
    if (isNameEnd && html.slice(at + 2, nameEnd).toLowerCase() === name) return at;
    at = html.indexOf('</', at + 2);
  }
  return html.length;
}

/** Caps the indent, so that deep nesting does not make it larger than the text. */
const MAX_INDENT_DEPTH = 8;

interface OpenList {
  readonly isOrdered: boolean;
  itemCount: number;
}

/** The state of one derivation: the open elements and their effect on the text. */
class TextPage {
  readonly #layout = new TextLayout();
  readonly #lists: OpenList[] = [];
  #linkUrl: string | null = null;
  #linkHasImage = false;
  #preDepth = 0;
  #isInHead = false;
  /** The element whose content is being dropped, and how many elements of its name are open within it. */
  #hiddenName = '';
  #hiddenDepth = 0;

  addText(raw: string): void {
    if (this.#hiddenName !== '' || this.#isInHead) return;
    const text = raw.includes('&') ? decodeHTML(raw) : raw;
    if (this.#preDepth > 0) this.#layout.addPreformatted(text);
    else this.#layout.addText(text);
  }

  openElement(tag: HtmlTag, rule: ElementRule): void {
    const { name } = tag;
    if (this.#hiddenName !== '' && !this.#endsHiddenParagraph(rule)) {
      if (name === this.#hiddenName) this.#hiddenDepth++;
      return;
    }
    if (this.#isInHead && !rule.isHeadContent && !name.includes(':')) this.#isInHead = false;
    if (rule.content === 'dropped' || isHidden(tag.style)) this.#hide(name, rule);
    else this.#showElement(tag, rule);
  }

  closeElement(name: string, rule: ElementRule): void {
    if (this.#hiddenName !== '' && !this.#endsHiddenParagraph(rule)) {
      if (name === this.#hiddenName && --this.#hiddenDepth === 0) this.#hiddenName = '';
      return;
    }
    if (name === 'a') this.#endLink();
    else if (name === 'ul' || name === 'ol') this.#endList();
    else if (name === 'li') this.#layout.endItem();
    else if (name === 'pre' && this.#preDepth > 0) this.#preDepth--;
    else if (name === 'head') this.#isInHead = false;
    if (rule.breaks !== 0) this.#layout.requestBreaks(rule.breaks);
  }

  finish(): string {
    this.#endLink();
    return this.#layout.toString();
  }

  #hide(name: string, rule: ElementRule): void {
    if (rule.content === 'none') return;
    this.#hiddenName = name;
    this.#hiddenDepth = 1;
  }

  /** The next block closes a paragraph, with or without an end tag (WHATWG HTML §13.1.2.4). */
  #endsHiddenParagraph(rule: ElementRule): boolean {
    if (this.#hiddenName !== 'p' || rule.breaks === 0) return false;
    this.#hiddenName = '';
    return true;
  }

  #showElement(tag: HtmlTag, rule: ElementRule): void {
    const { name } = tag;
    if (rule.breaks !== 0) this.#layout.requestBreaks(rule.breaks);
    if (name === 'br') this.#layout.addLineBreak();
    else if (name === 'a') this.#beginLink(tag.href);
    else if (name === 'img') this.#showImage(tag.alt);
    else if (name === 'td' || name === 'th') this.#layout.requestCellGap();
    else if (name === 'ul' || name === 'ol') this.#beginList(name === 'ol');
    else if (name === 'li') this.#beginItem();
    else if (name === 'pre') this.#preDepth++;
    else if (name === 'hr') this.#showRule();
    else if (name === 'head') this.#isInHead = true;
  }

  #showImage(alt: string | null): void {
    this.#linkHasImage = true;
    if (alt !== null) this.#layout.addText(decodeHTMLAttribute(alt));
  }

  #showRule(): void {
    this.#layout.addText('---');
    this.#layout.requestBreaks(2);
  }

  #beginList(isOrdered: boolean): void {
    if (this.#lists.length === 0) this.#layout.requestBreaks(2);
    this.#lists.push({ isOrdered, itemCount: 0 });
    this.#layout.setIndent(indentOf(this.#lists.length));
  }

  #endList(): void {
    if (this.#lists.pop() === undefined) return;
    this.#layout.endItem();
    this.#layout.setIndent(indentOf(this.#lists.length));
    if (this.#lists.length === 0) this.#layout.requestBreaks(2);
  }

  #beginItem(): void {
    const list = this.#lists.at(-1);
    const count = list === undefined ? 1 : ++list.itemCount;
    const bullet = list?.isOrdered ? `${count}. ` : '- ';
    this.#layout.beginItem(`${indentOf(this.#lists.length - 1)}${bullet}`, count === 1);
  }

  #beginLink(href: string | null): void {
    this.#endLink(); // Links do not nest: a second start tag closes the first.
    this.#linkUrl = href === null ? null : shownUrl(decodeHTMLAttribute(href));
    this.#linkHasImage = false;
    if (this.#linkUrl !== null) this.#layout.beginSpan();
  }

  #endLink(): void {
    const url = this.#linkUrl;
    if (url === null) return;
    this.#linkUrl = null;
    const text = this.#layout.endSpan();
    if (text === '') {
      if (this.#linkHasImage) this.#layout.addText(` ${url} `);
    } else if (bareAddress(text) === bareAddress(url) || isTaggedForm(url, text)) {
      this.#layout.replaceSpan(url);
    } else {
      this.#layout.attach(` (${url})`);
    }
  }
}

function indentOf(depth: number): string {
  return '  '.repeat(Math.max(0, Math.min(depth, MAX_INDENT_DEPTH)));
}

/** Whether an element's own style hides it: the usual way to give mailboxes a preview line that the message does not show. */
function isHidden(style: string | null): boolean {
  return style !== null && /(?:^|;)\s*display\s*:\s*none\b/i.test(style);
}

/** The address of a link as shown to the reader; null if it leads nowhere outside the message. */
function shownUrl(href: string): string | null {
  const url = href.replace(/[\t\n\r]/g, '').trim();
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === 'mailto') return url.slice('mailto:'.length).replace(/\?.*/, '').trim() || null;
  if (scheme === 'tel' || scheme === 'sms') return url.slice(scheme.length + 1).trim() || null;
  if (scheme === 'javascript' || scheme === 'data' || scheme === 'vbscript') return null;
  return url === '' || url.startsWith('#') ? null : url;
}

/** Whether the URL is the address in the text with UTM parameters, which only the link of an HTML body has. */
function isTaggedForm(url: string, text: string): boolean {
  return url.includes('utm_') && bareAddress(withoutUtm(text)) === bareAddress(withoutUtm(url));
}

function withoutUtm(url: string): string {
  const [address = '', ...fragment] = url.split('#');
  const [path = '', ...query] = address.split('?');
  const kept = query
    .join('?')
    .split('&')
    .filter((parameter) => parameter !== '' && !parameter.startsWith('utm_'));
  return [kept.length === 0 ? path : `${path}?${kept.join('&')}`, ...fragment].join('#');
}

/** The address without the parts that users leave out when they write one. */
function bareAddress(text: string): string {
  const start = /^https?:\/\//i.exec(text)?.[0].length ?? 0;
  return text.slice(start, text.endsWith('/') ? -1 : undefined);
}
