import type { CssRule } from './css-rules.ts';
import { type Declarations, readDeclarations } from './style-values.ts';

/** A part of a style sheet that can show something else than the message says. */
export interface StyleChange {
  /**
   * `text`: adds a text that is not in the message. `sometimes`: the same under a condition. `time`: changes what shows after a time. `pointer`:
   * hides or shows something under the pointer. `font`: loads a font. `sheet`: loads style rules. `unread`: a part that is not judged.
   */
  readonly kind: 'text' | 'sometimes' | 'time' | 'pointer' | 'font' | 'sheet' | 'unread';
  /** The added text, the address of what is loaded, or the name of the part. */
  readonly text: string;
}

/** More would not be read. */
const CHANGES_MAX = 300;

interface StyleChanges {
  readonly changes: readonly StyleChange[];
  /** Whether the limit left out some. */
  readonly isCut: boolean;
}

/** What the rules of a message can show to some readers only, besides text that they hide. Each once. */
export function findStyleChanges(rules: readonly CssRule[]): StyleChanges {
  const found = new Map<string, StyleChange>();
  for (const rule of rules) {
    for (const change of changesOf(rule)) {
      if (found.size >= CHANGES_MAX) return { changes: [...found.values()], isCut: true };
      found.set(`${change.kind} ${change.text}`, change);
    }
  }
  return { changes: [...found.values()], isCut: false };
}

function changesOf({ selectors, declarations, applies }: CssRule): readonly StyleChange[] {
  const isOrdinary =
    applies !== 'keyframes' &&
    applies !== 'unread' &&
    applies !== 'font' &&
    !selectors.includes(':') &&
    !WORTH_READING.test(declarations);
  if (isOrdinary) return [];
  const style = readDeclarations(declarations);
  if (applies === 'unread') return [{ kind: 'unread', text: declarations }];
  if (applies === 'import') return [{ kind: 'sheet', text: addressIn(declarations) }];
  if (applies === 'font') return changesOfFont(style);
  if (applies === 'keyframes') return shapes(style) ? [{ kind: 'time', text: '' }] : [];
  const isConditional = applies !== 'screen' || CONDITION.test(selectors);
  const kind = isConditional ? 'sometimes' : 'text';
  const added = ADDING.map((property) => style.get(property)).filter((value) => value !== undefined && adds(value));
  return [
    ...added.map((value) => ({ kind, text: withoutQuotes(value ?? '') }) as const),
    ...(/:hover/i.test(selectors) && shapes(style) ? [{ kind: 'pointer', text: '' } as const] : []),
  ];
}

/** Escapes can be in any name. */
const WORTH_READING = /\\|content|list-style|quotes|src|import/i;
/** What a preview and a mail program may have differently, other than the place of the text itself. */
const CONDITION = /[[+~]|:(?!:?(?:before|after|marker)(?![\w-]))/i;
const ADDING = ['content', 'quotes', 'list-style', 'list-style-type'];
/** Changes of color or position alone are the ordinary use of an animation, or of a link under the pointer. */
const SHAPES = [
  'display',
  'visibility',
  'opacity',
  'font-size',
  'content',
  'height',
  'max-height',
  'width',
  'max-width',
];
const MORE_SHAPES = ['clip', 'clip-path', 'transform', 'text-indent', 'left', 'top', 'margin-left', 'margin-top'];

function shapes(style: Declarations): boolean {
  return [...SHAPES, ...MORE_SHAPES].some((property) => style.has(property));
}

/** Whether a value has words, or is not only a string: it can come from an attribute or a picture. */
function adds(value: string): boolean {
  if (value === '' || /^(?:none|normal|inherit|initial|unset)$/.test(value)) return false;
  if (!/["']/.test(value)) return /\(/.test(value);
  return /[\p{L}\p{N}]/u.test(value) || [...value].filter((one) => one === '"' || one === "'").length % 2 === 1;
}

function withoutQuotes(value: string): string {
  return value.replaceAll(/["']/g, '').trim();
}

/** What describes a font without changing how large its letters are. */
const DESCRIPTORS = /^(?:font-(?:family|style|weight|display|stretch|variant)|src|unicode-range|panose-1|mso-[\w-]+)$/;

function changesOfFont(style: Declarations): readonly StyleChange[] {
  const loaded = sourcesOf(style).map((text) => ({ kind: 'font', text }) as const);
  const [unread] = [...style.keys()].filter((name) => !DESCRIPTORS.test(name));
  return unread === undefined ? loaded : [...loaded, { kind: 'unread', text: '@font-face' }];
}

/** The addresses of a font; a local one is none. */
function sourcesOf(style: Declarations): readonly string[] {
  const sources = (style.get('src') ?? '').split('url(').slice(1);
  return sources.map((source) => withoutQuotes(source.split(')')[0] ?? ''));
}

/** The address in `@import url("https://a.example/x.css") screen`. */
function addressIn(statement: string): string {
  const [, address = ''] = /^@import\s{0,9}(?:url\(\s{0,9})?["']?([^"')\s]{0,2000})/i.exec(statement) ?? [];
  return address;
}
