import { decodeEntities } from './decode-entities.ts';
import { type HtmlToken, tokensOf } from './html-tokens.ts';

export interface HtmlReading {
  /** Roughly what a reader sees; each link is followed by its number in brackets. */
  readonly text: string;
  /** In the order of their numbers, which start at 1. */
  readonly links: readonly HtmlLink[];
}

export interface HtmlLink {
  /** A link, the target of a form, or a resource that the message loads. */
  readonly kind: 'link' | 'form' | 'image';
  readonly target: string;
  /** The text of the link. */
  readonly shown: string;
}

const BLOCKS =
  /^(?:address|article|aside|blockquote|body|center|div|dl|dt|dd|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;
/** Elements whose `href` is loaded and not followed. */
const LOADING = new Set(['link', 'image', 'use', 'feimage']);

interface OpenLink {
  readonly target: string;
  /** The element whose end tag closes the link. */
  readonly name: string;
  /** The number of text parts before it. */
  readonly from: number;
}

/**
 * Reads the HTML of a message for an approver: everything counts as visible, also text that styles hide. One pass from left to right keeps the
 * time linear. The text after an unfinished tag is shown unparsed.
 */
export function readHtml(html: string): HtmlReading {
  const links: HtmlLink[] = [];
  const parts: string[] = [];
  let open: OpenLink | null = null;
  let base = '';
  const add = (kind: HtmlLink['kind'], target: string, shown: string) => {
    links.push({ kind, target, shown: shown.replace(/\s+/g, ' ').trim() });
    parts.push(` [${links.length}] `);
  };
  const closeLink = () => {
    if (open !== null) add('link', open.target, parts.slice(open.from).join(''));
    open = null;
  };
  const isOpen = (name: string) => open?.name === name;

  for (const token of tokensOf(html)) {
    if (token.kind === 'text') {
      parts.push(decodeEntities(token.text).replace(/\s+/g, ' '));
      continue;
    }
    const { name, isEnd, attributes } = token;
    const attribute = (wanted: string) => attributes.get(wanted) ?? null;
    const href = attribute('href') ?? attribute('xlink:href');
    const leads = !isEnd && href !== null && name !== 'base' && !LOADING.has(name);
    if (name === 'a' || name === 'area' || leads || (isEnd && isOpen(name))) closeLink();
    if (BLOCKS.test(name) || name === 'br') parts.push(name === 'p' ? '\n\n' : '\n');
    if (name === 'td' || name === 'th') parts.push(' ');
    if (isEnd) continue;
    if (name === 'li') parts.push('- ');
    // It applies to all links, also those before it.
    if (name === 'base') base ||= href ?? '';
    if (name === 'img') parts.push(` [image${attribute('alt') ? `: ${attribute('alt')}` : ''}] `);
    // On any element: buttons for Outlook are `<v:roundrect href>`.
    if (leads && href !== null) open = { target: href, name, from: parts.length };
    for (const target of formTargets(token)) add('form', target, '');
    for (const target of loadedBy(token)) add('image', target, '');
  }
  closeLink();
  return {
    text: tidy(parts.join('')),
    links: links.map((link) => ({ ...link, target: resolveTarget(link.target, base) })),
  };
}

type Tag = Extract<HtmlToken, { kind: 'tag' }>;

function formTargets({ attributes }: Tag): readonly string[] {
  return ['action', 'formaction'].flatMap((name) => attributes.get(name) ?? []);
}

/** The remote resources that a mail client loads by itself; parts of the message do not count. */
function loadedBy({ name, attributes }: Tag): readonly string[] {
  const named = ['src', 'background', 'poster', 'data'].flatMap((source) => attributes.get(source) ?? []);
  const sizes = (attributes.get('srcset') ?? '').split(',').map((candidate) => candidate.trim().split(/\s/)[0] ?? '');
  const href = LOADING.has(name) ? (attributes.get('href') ?? attributes.get('xlink:href') ?? '') : '';
  const refresh = name === 'meta' ? (/url\s*=\s*(.*)$/is.exec(attributes.get('content') ?? '')?.[1] ?? '') : '';
  const isOutside = (target: string) => target !== '' && !/^(?:cid|data):/i.test(target) && !target.startsWith('#');
  return [...named, ...sizes, href, refresh.replace(/^["']|["']$/g, '')].filter(isOutside);
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
