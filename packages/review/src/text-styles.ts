import { colorOf } from './colors.ts';
import { splitCss } from './css-text.ts';
import { type LengthBase, lacksUnit, pixelsOf } from './lengths.ts';
import { type LineHeight, NORMAL_LINE, type TextLook } from './look-of-text.ts';
import type { Declarations } from './style-values.ts';

/** A look that is being computed. */
export type Draft = { -readonly [Part in keyof TextLook]: TextLook[Part] } & { readonly found: Set<string> };

const RESET = /^(?:initial|unset|revert)$/;

/** The size of the letters first, because other lengths refer to it. */
export function applyFontSize(draft: Draft, outer: TextLook, style: Declarations): void {
  for (const [property, value] of style) {
    const size = property === 'font-size' ? value : property === 'font' ? readFont(value)?.size : undefined;
    if (property === 'font' && size === undefined) draft.found.add('font');
    if (size === undefined || size === 'inherit' || size === 'unset') continue;
    const pixels = RESET.test(size) ? 16 : fontPixels(size, outer);
    if (pixels === null) draft.found.add(property);
    else draft.size = pixels;
  }
}

const SIZES: ReadonlyMap<string, number> = new Map(
  Object.entries({ 'xx-small': 9, 'x-small': 10, small: 13, medium: 16, large: 18, 'x-large': 24, 'xx-large': 32 }),
);

function fontPixels(size: string, { size: em, rootSize: rem }: TextLook): number | null {
  if (size === 'smaller') return em / 1.2;
  if (size === 'larger') return em * 1.2;
  const pixels = SIZES.get(size) ?? pixelsOf(size, { em, rem, percent: em });
  return pixels === null || pixels < 0 || pixels > 1_000 ? null : pixels;
}

interface Font {
  readonly size: string;
  readonly line: string;
}

const FONT =
  /^((?:(?:normal|italic|oblique|bold|bolder|lighter|small-caps|[1-9]00) ){0,4})([\w.%-]{1,20})(?: ?\/ ?([\w.%]{1,20}))? ([^()]{1,500})$/;
/** One without quotes consists of names. */
const FAMILY = /^(?:"[^"\\\n]{1,100}"|'[^'\\\n]{1,100}'|-?[a-z_][\w-]{0,60}(?: [a-z_][\w-]{0,60}){0,6})$/;

/** Null for what some browsers do not read as a font. */
function readFont(value: string): Font | null {
  if (/^(?:inherit|initial|unset)$/.test(value)) return { size: value, line: value };
  const [, words = '', size = '', line = 'normal', families = ''] = FONT.exec(value.replaceAll(/\s{1,9}/g, ' ')) ?? [];
  const kinds = words.split(' ').flatMap((word) => (word === '' || word === 'normal' ? [] : [kindOf(word)]));
  if (new Set(kinds).size < kinds.length || lacksUnit(size)) return null;
  return splitCss(families, ',').every((family) => isFamily(family.trim())) ? { size, line } : null;
}

/** Browsers drop a font with two words of one kind. */
function kindOf(word: string): 'style' | 'variant' | 'weight' {
  return word === 'small-caps' ? 'variant' : /^(?:italic|oblique)$/.test(word) ? 'style' : 'weight';
}

function isFamily(family: string): boolean {
  return FAMILY.test(family) && !/^(?:inherit|initial|unset|revert|default)\b/.test(family);
}

/** What an inner element inherits. */
export function applyTextStyle(draft: Draft, outer: TextLook, property: string, value: string): void {
  const isInherited = value === 'inherit' || value === 'unset';
  switch (property) {
    case 'color':
      draft.color = isInherited || value === 'currentcolor' ? outer.color : colorOf(value);
      return;
    case '-webkit-text-fill-color':
      draft.fill = isInherited ? outer.fill : /^(?:initial|currentcolor)$/.test(value) ? undefined : colorOf(value);
      return;
    case 'visibility':
      if (value === 'hidden' || value === 'collapse') draft.invisible = true;
      else if (value === 'visible' || value === 'initial') draft.invisible = false;
      else if (isInherited) draft.invisible = outer.invisible;
      else draft.found.add(property);
      return;
    case 'font':
      draft.lineHeight = lineOf(readFont(value)?.line ?? 'normal', draft, outer);
      return;
    case 'line-height':
      draft.lineHeight = lineOf(value, draft, outer);
      return;
    case 'letter-spacing':
      draft.letterSpacing = isInherited ? outer.letterSpacing : spacingOf(value, draft);
      return;
    case 'white-space':
      applyWhiteSpace(draft, outer, value);
      return;
    case 'text-indent':
      applyIndent(draft, value);
  }
}

/** Not a number if it cannot be judged. */
function lineOf(value: string, draft: Draft, outer: TextLook): LineHeight {
  if (value === 'inherit' || value === 'unset') return outer.lineHeight;
  if (value === 'normal' || value === 'initial') return NORMAL_LINE;
  if (/^[\d.]{1,9}$/.test(value)) return { factor: Number(value) };
  return { pixels: pixelsOf(value, baseOf(draft, draft.size)) ?? Number.NaN };
}

function spacingOf(value: string, draft: Draft): number {
  return value === 'normal' || value === 'initial' ? 0 : (pixelsOf(value, baseOf(draft, draft.size)) ?? Number.NaN);
}

function applyWhiteSpace(draft: Draft, outer: TextLook, value: string): void {
  if (value === 'nowrap' || value === 'pre') draft.isOneLine = true;
  else if (/^(?:normal|pre-wrap|pre-line|break-spaces|initial)$/.test(value)) draft.isOneLine = false;
  else if (/^(?:inherit|unset)$/.test(value)) draft.isOneLine = outer.isOneLine;
  else draft.found.add('white-space');
}

/** Far enough from the message to be off every screen. */
export const FAR_PX = 400;
/** More than the hanging indent of a list. */
const INDENT_PX = 60;

function applyIndent(draft: Draft, value: string): void {
  if (/^(?:inherit|initial|unset)$/.test(value)) return;
  const pixels = pixelsOf(value, baseOf(draft));
  if (pixels !== null && pixels <= -FAR_PX) draft.hiddenBy ??= 'a position off the screen';
  else if (pixels === null || pixels < -INDENT_PX || pixels > FAR_PX) draft.found.add('text-indent');
}

/** @param percent what a percentage refers to; the width of the message if it is not given */
export function baseOf({ size: em, rootSize: rem }: Draft, percent?: number): Partial<LengthBase> {
  return percent === undefined ? { em, rem } : { em, rem, percent };
}
