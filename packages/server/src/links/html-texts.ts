import { decodeHTML } from 'entities/decode';
import { ruleOf } from '../html/element-rules.ts';
import { type HtmlTag, opensTag, readTag } from '../html/html-tag.ts';
import { unescapeCss } from './css-hosts.ts';
import { OpenElements, TABLE_PARTS } from './open-elements.ts';

/** The texts of an HTML message as different mail programs might show it. */
export interface HtmlTexts {
  /**
   * Three versions: with inline tags removed, `ev<b>il</b>.com`; with each tag as a space, `evil.com<b>pay</b>`; and
   * without what browsers ignore or hide, `evil</td>.com`.
   */
  readonly shown: readonly string[];
  /** The texts between non-inline tags, once without the contents of raw text elements and once with them. */
  readonly pieces: readonly (readonly string[])[];
  /** The contents of scripts, where Gmail finds the buttons of its markup. */
  readonly scripts: readonly string[];
  /** The contents of style sheets. */
  readonly styles: readonly string[];
}

/**
 * Returns all text between tags, hidden or not: a style sheet can show what an element's own style hides. Conditional
 * comments count, and so does the text of elements that browsers do not show. Linear in the length. Never throws.
 */
export function htmlTexts(html: string): HtmlTexts {
  const reader = new TextReader(UNSURE_STYLES.test(html));
  reader.read(html, false);
  // After this tag, browsers show every tag as text.
  const plain = html.search(/<plaintext/i);
  if (plain !== -1) reader.parts.push(html.slice(plain));
  const { parts, pieces, scripts, styles } = reader;
  return { shown: [...reader.readings(), ...parts], pieces, scripts, styles };
}

/** Inside these, a browser may not treat `<style>` as a style sheet and shows its content. */
const UNSURE_STYLES = /<(?:svg|math|select|frameset|plaintext|!\[CDATA\[)/i;
const BREAKING = new Set([
  'br',
  'hr',
  'td',
  'th',
  'img',
  'input',
  'button',
  'select',
  'iframe',
  'title',
  'style',
  'script',
]);
const RAW = new Set(['script', 'style', 'title', 'textarea', 'iframe', 'xmp', 'noembed', 'noframes']);
const CODE = new Set(['script', 'style']);
const CDATA = '<![CDATA[';

class TextReader {
  readonly parts: string[] = [];
  readonly scripts: string[] = [];
  readonly styles: string[] = [];
  /** Without the contents of raw text elements, and with them. */
  readonly pieces: readonly [string[], string[]] = [[], []];
  #startsPiece = true;
  readonly #open = new OpenElements();
  readonly #inline: string[] = [];
  readonly #visible: string[] = [];
  /** Without the text of cells: text between cells is shown before the table, after the text that is there. */
  readonly #outside: string[] = [];
  readonly #spaced: string[] = [];
  readonly #showsStyles: boolean;

  constructor(showsStyles: boolean) {
    this.#showsStyles = showsStyles;
  }

  readings(): readonly string[] {
    return [this.#inline.join(''), this.#spaced.join(''), this.#visible.join(''), this.#outside.join('')];
  }

  /** @param isPart whether it is the content of a comment or of a raw text element, in which neither can start again */
  read(html: string, isPart: boolean): void {
    let textStart = 0;
    for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
      if (opensMarkup(html, at)) {
        this.#addText(html.slice(textStart, at));
        textStart = this.#readMarkup(html, at, isPart);
        at = textStart;
      } else at += 1; // A slice of the text: two million separate characters would fill the memory.
    }
    this.#addText(html.slice(textStart));
  }

  #readMarkup(html: string, at: number, isPart: boolean): number {
    if (opensTag(html, at)) return this.#readTag(html, at, isPart);
    if (html.startsWith('<!--', at)) return this.#readComment(html, at, isPart);
    if (html.startsWith(CDATA, at)) return at + CDATA.length;
    const end = html.indexOf('>', at);
    return end === -1 ? html.length : end + 1;
  }

  #readTag(html: string, at: number, isPart: boolean): number {
    const tag = readTag(html, at);
    // Browsers hide an unclosed tag and all after it; other programs may show it.
    if (tag === null) {
      this.#addText(html.slice(at + 1));
      return html.length;
    }
    this.#spaced.push(' ');
    if (ruleOf(tag.name).breaks > 0 || BREAKING.has(tag.name)) {
      this.#inline.push(' ');
      this.#startsPiece = true;
    }
    if (tag.isClosing || !RAW.has(tag.name) || (isPart && !CODE.has(tag.name))) {
      this.#trackElement(tag);
      return tag.end;
    }
    const end = rawTextEnd(html, tag.end, tag.name);
    const content = html.slice(tag.end, end);
    this.pieces[1].push(content);
    if (tag.name === 'style') this.styles.push(content);
    if (tag.name === 'script') this.scripts.push(content);
    else if (isPart && this.#showsStyles) this.#addText(content);
    else if (tag.name !== 'style' || this.#showsStyles) {
      this.parts.push(content.includes('&') ? decodeHTML(content) : content);
      this.#addPart(content);
    }
    return end;
  }

  #trackElement(tag: HtmlTag): void {
    const { name, isClosing } = tag;
    const breaks = isClosing ? this.#open.close(name) : this.#open.open({ name, ...styleOf(tag) });
    if (!breaks || this.#open.isHidden) return;
    this.#visible.push(' ');
    if (!this.#open.isInCell && !TABLE_PARTS.has(name)) this.#outside.push(' ');
  }

  /** Skipped within a part, so that nothing is read more than twice. */
  #readComment(html: string, at: number, isPart: boolean): number {
    if (isPart) return at + 4;
    const close = html.indexOf('-->', at + 2);
    const end = close === -1 ? html.length : close;
    this.#addPart(html.slice(at + 4, end));
    return close === -1 ? end : close + 3;
  }

  /** Separate from the surrounding text: browsers ignore a comment in the middle of a name. */
  #addPart(html: string): void {
    const part = new TextReader(this.#showsStyles);
    part.read(html, true);
    for (const text of part.readings()) this.parts.push(text);
    for (const script of part.scripts) this.scripts.push(script);
    for (const style of part.styles) this.styles.push(style);
  }

  #addText(raw: string): void {
    if (raw === '') return;
    const text = raw.includes('&') ? decodeHTML(raw) : raw;
    this.#inline.push(text);
    this.#spaced.push(text);
    for (const pieces of this.pieces) {
      if (this.#startsPiece) pieces.push(text);
      else pieces.push((pieces.pop() ?? '') + text);
    }
    this.#startsPiece = false;
    if (this.#open.isHidden) return;
    this.#visible.push(text);
    if (!this.#open.isInCell) this.#outside.push(text);
  }
}

/** Whether the "<" at `at` opens a tag, a comment or a declaration. Otherwise it is text. */
function opensMarkup(html: string, at: number): boolean {
  return opensTag(html, at) || '!?/'.includes(html[at + 1] ?? ' ');
}

const HIDES =
  /(?:display:none|mso-hide:all|visibility:(?:hidden|collapse)|(?:font-size|opacity|max-height|max-width|height|width):0(?![.\d%]*[1-9]))/;
const IN_LINE = /display:(?:inline|contents|run-in)/;

function styleOf({ style, isHidden }: HtmlTag): { readonly hides: boolean; readonly isInline: boolean } {
  if (style === null) return { hides: isHidden, isInline: false };
  const css = style.includes('&') ? decodeHTML(style) : style;
  const bare = unescapeCss(css.replaceAll(/\/\*[^*]{0,1000}\*\//g, ''))
    .replaceAll(/\s/g, '')
    .toLowerCase();
  return { hides: isHidden || HIDES.test(bare), isInline: IN_LINE.test(bare) };
}

function rawTextEnd(html: string, from: number, name: string): number {
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    const nameEnd = at + 2 + name.length;
    if (html.slice(at + 2, nameEnd).toLowerCase() === name && /[\s/>]/.test(html[nameEnd] ?? ' ')) return at;
  }
  return html.length;
}
