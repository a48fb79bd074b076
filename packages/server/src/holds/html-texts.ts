import { decodeHTML } from 'entities/decode';
import { ruleOf } from '../html/element-rules.ts';
import { opensTag, readTag } from '../html/html-tag.ts';

/** The texts of an HTML message as any mail program might show it. */
export interface HtmlTexts {
  /** With tags within a line left out, `ev<b>il</b>.com`, and with each tag as a blank, `evil.com<b>pay</b>`. */
  readonly shown: readonly string[];
  /** The contents of scripts, in which Gmail finds the buttons of its markup. */
  readonly scripts: readonly string[];
  /** The contents of style sheets. */
  readonly styles: readonly string[];
}

/**
 * Everything between the tags, hidden or not: a style sheet can show what an element's own style hides. Conditional comments count, and so
 * does the text of elements that browsers do not show. Linear in the length, never throws.
 */
export function htmlTexts(html: string): HtmlTexts {
  const reader = new TextReader(UNSURE_STYLES.test(html));
  reader.read(html, false);
  // Behind this one, browsers show every tag as text.
  const plain = html.search(/<plaintext/i);
  if (plain !== -1) reader.parts.push(html.slice(plain));
  return { shown: [...reader.readings(), ...reader.parts], scripts: reader.scripts, styles: reader.styles };
}

/** Where these are, `<style>` may be no style sheet to a browser, and its content shows. */
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
  readonly #inline: string[] = [];
  readonly #spaced: string[] = [];
  readonly #showsStyles: boolean;

  constructor(showsStyles: boolean) {
    this.#showsStyles = showsStyles;
  }

  readings(): readonly string[] {
    return [this.#inline.join(''), this.#spaced.join('')];
  }

  /** @param isPart whether it is the content of a comment or of a raw text element, where neither opens again */
  read(html: string, isPart: boolean): void {
    let at = 0;
    while (at < html.length) {
      const markup = html.indexOf('<', at);
      this.#addText(html.slice(at, markup === -1 ? html.length : markup));
      at = markup === -1 ? html.length : this.#readMarkup(html, markup, isPart);
    }
  }

  #readMarkup(html: string, at: number, isPart: boolean): number {
    if (opensTag(html, at)) return this.#readTag(html, at, isPart);
    if (html.startsWith('<!--', at)) return this.#readComment(html, at, isPart);
    if (html.startsWith(CDATA, at)) return at + CDATA.length;
    if (!'!?/'.includes(html[at + 1] ?? ' ')) {
      this.#addText('<');
      return at + 1;
    }
    const end = html.indexOf('>', at);
    return end === -1 ? html.length : end + 1;
  }

  #readTag(html: string, at: number, isPart: boolean): number {
    const tag = readTag(html, at);
    // Browsers show nothing of a tag that never ends; others may.
    if (tag === null) {
      this.#addText(html.slice(at + 1));
      return html.length;
    }
    this.#spaced.push(' ');
    if (ruleOf(tag.name).breaks > 0 || BREAKING.has(tag.name)) this.#inline.push(' ');
    if (tag.isClosing || !RAW.has(tag.name) || (isPart && !CODE.has(tag.name))) return tag.end;
    const end = rawTextEnd(html, tag.end, tag.name);
    const content = html.slice(tag.end, end);
    if (tag.name === 'style') this.styles.push(content);
    if (tag.name === 'script') this.scripts.push(content);
    else if (isPart && this.#showsStyles) this.#addText(content);
    else if (tag.name !== 'style' || this.#showsStyles) {
      this.parts.push(content.includes('&') ? decodeHTML(content) : content);
      this.#addPart(content);
    }
    return end;
  }

  /** Within a part it is passed over, so that nothing is read more than twice. */
  #readComment(html: string, at: number, isPart: boolean): number {
    if (isPart) return at + 4;
    const close = html.indexOf('-->', at + 2);
    const end = close === -1 ? html.length : close;
    this.#addPart(html.slice(at + 4, end));
    return close === -1 ? end : close + 3;
  }

  /** Apart from the text around it: a comment in the middle of a name is none to browsers. */
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
  }
}

function rawTextEnd(html: string, from: number, name: string): number {
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    const nameEnd = at + 2 + name.length;
    if (html.slice(at + 2, nameEnd).toLowerCase() === name && /[\s/>]/.test(html[nameEnd] ?? ' ')) return at;
  }
  return html.length;
}
