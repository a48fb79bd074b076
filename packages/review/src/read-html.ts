import { findStyleChanges, type StyleChange } from './changing-styles.ts';
import { decodeAttribute, decodeText } from './character-references.ts';
import { readCssRules } from './css-rules.ts';
import { type HiddenText, HiddenTexts } from './hidden-texts.ts';
import { type HtmlToken, readHtmlTokens } from './html-tokens.ts';
import { withoutInvisible } from './invisible-characters.ts';
import type { FoundLink } from './judge-link.ts';
import { whatHides } from './look-of-text.ts';
import { OpenElements } from './open-elements.ts';
import { isAddedByPrograms, readStyleSheet } from './style-sheet.ts';

export interface HtmlReading {
  /** Roughly what a reader sees, hidden text included; each link is followed by its number in brackets. */
  readonly text: string;
  /** Once for each kind, target and text. The first has the number 1. */
  readonly links: readonly FoundLink[];
  readonly hidden: readonly HiddenText[];
  /** The text that is not hidden, with its invisible characters. */
  readonly visible: string;
  readonly forms: FormFacts;
  /** What the style rules can show to some readers only. */
  readonly changes: readonly StyleChange[];
  /** Whether an element lies over the message. */
  readonly isCovered: boolean;
  /** Whether a limit left out a part. */
  readonly isCut: boolean;
}

export interface FormFacts {
  readonly count: number;
  readonly asksForPassword: boolean;
}

/** A longer message is read up to here: more would take seconds. */
const TOKENS_MAX = 100_000;

const SHEETS_MAX = 100;

const BLOCKS =
  /^(?:address|article|aside|blockquote|body|center|div|dl|dt|dd|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;
/** Elements whose `href` is loaded and not followed. */
const LOADING = new Set(['link', 'image', 'use', 'feimage']);

interface OpenLink {
  readonly target: string;
  /** The element whose end tag closes the link. */
  readonly name: string;
  readonly text: string[];
  readonly visible: string[];
}

/**
 * Reads the HTML of a message for its approver: everything that a mail client could show is in the text, and text that styles hide is also listed. A
 * bounded number of passes from left to right keeps the time linear.
 */
export function readHtml(html: string): HtmlReading {
  const { tokens, isCut } = readTokens(html);
  const rules = tokens.flatMap((token) => (token.kind === 'style' ? [...readCssRules(token.text)] : []));
  const sheet = readStyleSheet(rules, ownAttributes(tokens));
  const linked: StyleChange[] = [];
  const elements = new OpenElements(sheet);
  const links = new Links(baseOf(tokens));
  const hidden = new HiddenTexts();
  const parts: string[] = [];
  const visible: string[] = [];
  let open: OpenLink | null = null;
  let isOutlook = false;
  const forms = { count: 0, asksForPassword: false };

  const say = (text: string) => {
    const by = whatHides(elements.look.text) ?? (isOutlook ? 'outlook' : null);
    hidden.add(text, by, elements.look.doubt, elements.look.unclear);
    const shown = withoutInvisible(text).replace(/\s+/g, ' ');
    parts.push(shown);
    if (by === null) visible.push(text);
    open?.text.push(text);
    if (by === null) open?.visible.push(text);
  };
  const closeLink = () => {
    if (open !== null) {
      const [text, seen] = [tidyLine(open.text.join('')), tidyLine(open.visible.join(''))];
      parts.push(` [${links.add({ kind: 'link', target: open.target, text, visible: seen === '' ? text : seen })}] `);
    }
    open = null;
  };
  const isOpen = (name: string) => open?.name === name;
  const breakLine = (text: string) => {
    parts.push(text);
    visible.push(' ');
    open?.text.push(' ');
    open?.visible.push(' ');
  };
  const start = ({ name, attributes }: StartTag) => {
    const attribute = (wanted: string) => attributeOf(attributes, wanted);
    const href = attribute('href') ?? attribute('xlink:href');
    const leads = href !== null && name !== 'base' && !LOADING.has(name);
    if (name === 'a' || name === 'area' || leads) closeLink();
    elements.open(name, attributes);
    if (name === 'link' && /stylesheet/i.test(attribute('rel') ?? '')) linked.push({ kind: 'sheet', text: href ?? '' });
    if (name === 'form') forms.count += 1;
    if (name === 'input' && isPassword(attributes)) forms.asksForPassword = true;
    if (BLOCKS.test(name) || name === 'br') breakLine(name === 'p' ? '\n\n' : '\n');
    if (name === 'td' || name === 'th') breakLine(' ');
    if (name === 'li') parts.push('- ');
    // On any element: buttons for Outlook are `<v:roundrect href>`.
    if (leads && href !== null) open = { target: href, name, text: [], visible: [] };
    if (name === 'img') {
      const picture = `[image${attribute('alt') ? `: ${attribute('alt')}` : ''}]`;
      parts.push(` ${picture} `);
      open?.text.push(` ${picture} `);
      open?.visible.push(` ${picture} `);
    }
    if (attributes.size === 0) return;
    for (const target of formTargets(attributes)) parts.push(` [${links.add(loaded('form', target))}] `);
    for (const target of loadedBy(name, attributes)) parts.push(` [${links.add(loaded('image', target))}] `);
  };

  for (const token of tokens) {
    if (token.kind === 'text') say(decodeText(token.text));
    else if (token.kind === 'outlook') isOutlook = !token.isEnd;
    else if (token.kind === 'start') start(token);
    else if (token.kind === 'end') {
      if (token.name === 'a' || token.name === 'area' || isOpen(token.name)) closeLink();
      elements.close(token.name);
      if (BLOCKS.test(token.name)) breakLine(token.name === 'p' ? '\n\n' : '\n');
    }
  }
  closeLink();
  if (isCut) parts.push('\n[The rest was not read.]');
  const read = { text: tidy(parts.join('')), links: links.all(), hidden: hidden.all(), visible: visible.join('') };
  const styles = findStyleChanges(rules);
  const columns: readonly StyleChange[] = elements.hidesColumn ? [{ kind: 'unread', text: 'visibility' }] : [];
  const changes = [...columns, ...linked.slice(0, SHEETS_MAX), ...styles.changes];
  const isLimited = styles.isCut || linked.length > SHEETS_MAX || sheet.isCut || elements.isCut;
  return { ...read, changes, forms, isCovered: elements.isCovered, isCut: isCut || isLimited };
}

function readTokens(html: string): { readonly tokens: readonly HtmlToken[]; readonly isCut: boolean } {
  const tokens: HtmlToken[] = [];
  for (const token of readHtmlTokens(html, 'any-client')) {
    if (tokens.length >= TOKENS_MAX) return { tokens, isCut: true };
    tokens.push(token);
  }
  return { tokens, isCut: false };
}

function ownAttributes(tokens: readonly HtmlToken[]): ReadonlySet<string> {
  const own = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'start') continue;
    for (const name of token.attributes.keys()) if (isAddedByPrograms(name)) own.add(name);
  }
  return own;
}

function isPassword(attributes: ReadonlyMap<string, string>): boolean {
  const of = (name: string) => (attributeOf(attributes, name) ?? '').toLowerCase();
  return of('type') === 'password' || /-password$/.test(of('autocomplete'));
}

type StartTag = Extract<HtmlToken, { kind: 'start' }>;

/** Each link once, numbered. */
class Links {
  readonly #base: string;
  readonly #numbers = new Map<string, number>();
  readonly #links: FoundLink[] = [];

  constructor(base: string) {
    this.#base = base;
  }

  add(link: FoundLink): number {
    const target = this.#base === '' ? link.target : (URL.parse(link.target, this.#base)?.href ?? link.target);
    const key = `${link.kind}\n${target}\n${link.text}\n${link.visible}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#links.push({ ...link, target });
    this.#numbers.set(key, number);
    return number;
  }

  all(): readonly FoundLink[] {
    return this.#links;
  }
}

/** The first one counts, for all links, also those before it. */
function baseOf(tokens: readonly HtmlToken[]): string {
  for (const token of tokens) {
    if (token.kind !== 'start' || token.name !== 'base') continue;
    const href = attributeOf(token.attributes, 'href');
    if (href !== null && href !== '') return href;
  }
  return '';
}

function loaded(kind: 'form' | 'image', target: string): FoundLink {
  return { kind, target, text: '', visible: '' };
}

function attributeOf(attributes: ReadonlyMap<string, string>, name: string): string | null {
  const raw = attributes.get(name);
  return raw === undefined ? null : decodeAttribute(raw).trim();
}

function formTargets(attributes: ReadonlyMap<string, string>): readonly string[] {
  return ['action', 'formaction'].flatMap((name) => attributeOf(attributes, name) ?? []);
}

/** The remote resources that a mail client loads by itself; parts of the message do not count. */
function loadedBy(name: string, attributes: ReadonlyMap<string, string>): readonly string[] {
  const of = (attribute: string) => attributeOf(attributes, attribute) ?? '';
  const named = ['src', 'background', 'poster', 'data'].map(of);
  const sizes = of('srcset')
    .split(',')
    .map((candidate) => candidate.trim().split(/\s/)[0] ?? '');
  const href = LOADING.has(name) ? of('href') || of('xlink:href') : '';
  const refresh = name === 'meta' ? refreshOf(of('content')) : '';
  const isOutside = (target: string) => target !== '' && !/^(?:cid|data):/i.test(target) && !target.startsWith('#');
  return [...named, ...sizes, href, refresh].filter(isOutside);
}

/** `https://a.example/` of `0; url='https://a.example/'`. */
function refreshOf(content: string): string {
  const at = content.toLowerCase().indexOf('url');
  const value = at < 0 ? '' : content.slice(at + 3).trimStart();
  return value.startsWith('=')
    ? value
        .slice(1)
        .trim()
        .replace(/^["']|["']$/g, '')
    : '';
}

function tidyLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function tidy(text: string): string {
  return text
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
