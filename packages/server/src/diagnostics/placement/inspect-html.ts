import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
import { ruleOf } from '../../html/element-rules.ts';
import { type HtmlTag, opensTag, readTag } from '../../html/html-tag.ts';

export interface ShownLink {
  /** Decoded and trimmed. */
  readonly href: string;
  /** The words a reader sees. */
  readonly shown: string;
}

/** The parts of an HTML body that filters check. */
export interface InspectedHtml {
  readonly links: readonly ShownLink[];
  readonly images: number;
  readonly imagesWithoutAlt: number;
  readonly hasForm: boolean;
  readonly hasScript: boolean;
  readonly hasEmbedded: boolean;
  /** The number of visible characters, without white space. */
  readonly textCharacters: number;
}

/** Inspects a body in one pass, linear in its length for any input. Never throws. */
export function inspectHtml(html: string): InspectedHtml {
  const inspection = new Inspection();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open === -1 || open > at) inspection.addText(html.slice(at, open === -1 ? html.length : open));
    if (open === -1) break;
    at = readMarkup(html, open, inspection);
  }
  return inspection.finish();
}

/** Returns the index after the markup that opens at `at`. */
function readMarkup(html: string, at: number, inspection: Inspection): number {
  if (html.startsWith('<!--', at)) return after(html, '-->', at + 2);
  if (!opensTag(html, at)) return /[!?/]/.test(html.charAt(at + 1)) ? after(html, '>', at) : inspection.addBracket(at);
  const tag = readTag(html, at);
  if (tag === null) return html.length;
  inspection.addTag(tag, html.slice(at, tag.end));
  if (tag.isClosing || ruleOf(tag.name).content !== 'raw text') return tag.end;
  const end = new RegExp(`</${tag.name}(?=[\\s/>])`, 'gi');
  end.lastIndex = tag.end;
  return end.exec(html)?.index ?? html.length;
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at === -1 ? html.length : at + mark.length;
}

/** No more links than this are checked. */
const MAX_LINKS = 1_000;
const EMBEDDED = new Set(['iframe', 'frame', 'object', 'embed', 'applet']);

class Inspection {
  readonly #links: { href: string; shown: string }[] = [];
  #open: { href: string; shown: string } | null = null;
  #images = 0;
  #imagesWithoutAlt = 0;
  #hasForm = false;
  #hasScript = false;
  #hasEmbedded = false;
  #textCharacters = 0;

  addText(raw: string): void {
    const text = raw.includes('&') ? decodeHTML(raw) : raw;
    this.#textCharacters += text.replace(/\s+/g, '').length;
    if (this.#open !== null) this.#open.shown += text;
  }

  /** A "<" that opens nothing is text. */
  addBracket(at: number): number {
    this.addText('<');
    return at + 1;
  }

  addTag({ name, isClosing, href, alt }: HtmlTag, written: string): void {
    if (name === 'a') this.#open = null;
    if (isClosing) return;
    if (name === 'img') {
      this.#images += 1;
      if (alt === null) this.#imagesWithoutAlt += 1;
    }
    if (name === 'form') this.#hasForm = true;
    if (EMBEDDED.has(name)) this.#hasEmbedded = true;
    const link = href === null ? null : decodeHTMLAttribute(href).trim();
    if (name === 'script' || /\son[a-z]+\s*=/i.test(written) || /^javascript:/i.test(link ?? ''))
      this.#hasScript = true;
    if (link === null || (name !== 'a' && name !== 'area') || this.#links.length >= MAX_LINKS) return;
    const entry = { href: link, shown: '' };
    this.#links.push(entry);
    if (name === 'a') this.#open = entry;
  }

  finish(): InspectedHtml {
    return {
      links: this.#links.map(({ href, shown }) => ({ href, shown: shown.replace(/\s+/g, ' ').trim() })),
      images: this.#images,
      imagesWithoutAlt: this.#imagesWithoutAlt,
      hasForm: this.#hasForm,
      hasScript: this.#hasScript,
      hasEmbedded: this.#hasEmbedded,
      textCharacters: this.#textCharacters,
    };
  }
}
