import { decodeEntities } from './decode-entities.ts';

export interface HtmlReading {
  /** What a reader sees, roughly; a link is followed by its number in brackets. */
  readonly text: string;
  /** In the order of their numbers, from 1. */
  readonly links: readonly HtmlLink[];
}

export interface HtmlLink {
  /** What it is: a link to follow, where a form goes, or what the mail loads. */
  readonly kind: 'link' | 'form' | 'image';
  readonly target: string;
  /** The words that stand for it. */
  readonly shown: string;
}

const SKIPPED = new Set(['script', 'style', 'title', 'noscript']);
const BLOCKS =
  /^(?:address|article|aside|blockquote|body|center|div|dl|dt|dd|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;

interface OpenLink {
  readonly target: string;
  /** How many parts of the text there were before it. */
  readonly from: number;
}

/**
 * Reads a mail's HTML for somebody who decides about it: everything in it counts as visible, what styles would hide too. One pass from left
 * to right, so that no HTML takes longer than its length; where a tag never ends, the rest is shown as it is written.
 */
export function readHtml(html: string): HtmlReading {
  const links: HtmlLink[] = [];
  const parts: string[] = [];
  let open: OpenLink | null = null;
  let base = '';
  const add = (kind: HtmlLink['kind'], target: string, shown: string) => {
    links.push({ kind, target: resolveTarget(target, base), shown: shown.replace(/\s+/g, ' ').trim() });
    parts.push(` [${links.length}] `);
  };
  const closeLink = () => {
    if (open !== null) add('link', open.target, parts.slice(open.from).join(''));
    open = null;
  };

  for (const token of tokensOf(html)) {
    if (token.kind === 'text') {
      parts.push(decodeEntities(token.text).replace(/\s+/g, ' '));
      continue;
    }
    const { name, isEnd, attributes } = token;
    const attribute = (wanted: string) => attributes.get(wanted) ?? null;
    if (name === 'a' || name === 'area') closeLink();
    if (BLOCKS.test(name) || name === 'br') parts.push(name === 'p' ? '\n\n' : '\n');
    if (name === 'td' || name === 'th') parts.push(' ');
    if (isEnd) continue;
    if (name === 'li') parts.push('- ');
    if (name === 'base') base ||= attribute('href') ?? '';
    if (name === 'img') parts.push(` [image${attribute('alt') ? `: ${attribute('alt')}` : ''}] `);
    const href = attribute('href') ?? attribute('xlink:href');
    if ((name === 'a' || name === 'area') && href !== null) open = { target: href, from: parts.length };
    const action = attribute('action') ?? attribute('formaction');
    if (action !== null) add('form', action, '');
    const source = attribute('src') ?? attribute('background');
    if (source !== null && !source.startsWith('cid:') && !source.startsWith('data:')) add('image', source, '');
  }
  closeLink();
  return { text: tidy(parts.join('')), links };
}

type Token =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'tag';
      /** In lower case. */
      readonly name: string;
      readonly isEnd: boolean;
      /** By lower-case name; of two of the same name the first counts. */
      readonly attributes: ReadonlyMap<string, string>;
    };

function* tokensOf(html: string): Generator<Token, void> {
  let at = 0;
  while (at < html.length) {
    const next = html.indexOf('<', at);
    const textEnd = next < 0 ? html.length : next;
    if (textEnd > at) yield { kind: 'text', text: html.slice(at, textEnd) };
    if (next < 0) return;
    at = next;
    if (html.startsWith('<!--', at)) {
      at = skipComment(html, at);
    } else if (!/^[a-z/!?]/i.test(html.slice(at + 1, at + 2))) {
      yield { kind: 'text', text: '<' };
      at += 1;
    } else {
      const end = endOfTag(html, at);
      if (end < 0) {
        yield { kind: 'text', text: html.slice(at) };
        return;
      }
      const tag = readTag(html.slice(at + 1, end));
      yield tag;
      at = end + 1;
      if (!tag.isEnd && SKIPPED.has(tag.name)) at = skipContent(html, at, tag.name);
    }
  }
}

/** What some mail programs show of a comment (`<!--[if mso]>`) counts as shown. */
function skipComment(html: string, at: number): number {
  const opening = html.startsWith('<!--[if', at) ? ']>' : '-->';
  const end = html.indexOf(opening, at + 2);
  return end < 0 ? html.length : end + opening.length;
}

function skipContent(html: string, at: number, name: string): number {
  const end = new RegExp(`</${name}`, 'gi');
  end.lastIndex = at;
  return end.exec(html)?.index ?? html.length;
}

/** A `>` within quotes ends no tag. */
function endOfTag(html: string, start: number): number {
  let quote = '';
  for (let at = start + 1; at < html.length; at++) {
    const character = html[at] ?? '';
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '>') return at;
    else if ((character === '"' || character === "'") && /[=\s]/.test(html[at - 1] ?? '')) quote = character;
  }
  return -1;
}

function readTag(inner: string): Extract<Token, { kind: 'tag' }> {
  const isEnd = inner.startsWith('/');
  const [, name = ''] = /^\/?([^\s/>]*)/.exec(inner) ?? [];
  const attributes = isEnd ? new Map<string, string>() : readAttributes(inner, name.length);
  return { kind: 'tag', name: name.toLowerCase(), isEnd, attributes };
}

/** By hand, since an expression would try again from every character of a name that never ends. */
function readAttributes(inner: string, from: number): Map<string, string> {
  const attributes = new Map<string, string>();
  let at = from;
  const skip = (what: RegExp) => {
    const start = at;
    while (at < inner.length && what.test(inner[at] ?? '')) at += 1;
    return inner.slice(start, at);
  };
  while (at < inner.length) {
    skip(/[\s/]/);
    const name = skip(/[^\s=/]/).toLowerCase();
    skip(/\s/);
    let value = '';
    if (inner[at] === '=') {
      at += 1;
      skip(/\s/);
      const quote = inner[at] ?? '';
      if (quote === '"' || quote === "'") {
        const end = inner.indexOf(quote, at + 1);
        value = inner.slice(at + 1, end < 0 ? inner.length : end);
        at = end < 0 ? inner.length : end + 1;
      } else {
        value = skip(/\S/);
      }
    }
    if (name !== '' && !attributes.has(name)) attributes.set(name, decodeEntities(value).trim());
  }
  return attributes;
}

function resolveTarget(target: string, base: string): string {
  return base === '' ? target : (URL.parse(target, base)?.href ?? target);
}

function tidy(text: string): string {
  return text
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
