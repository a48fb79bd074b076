import { splitCss } from './css-text.ts';
import { pixelsOf } from './lengths.ts';
import type { Declarations } from './style-values.ts';
import { baseOf, type Draft, FAR_PX } from './text-styles.ts';

/** The element whose box is judged. */
export interface BoxElement {
  readonly name: string;
  /** From the attribute; null without one. */
  readonly width: string | null;
}

/** Their height is the least one. */
const TABLE_PARTS = new Set('table tbody td tfoot th thead tr'.split(' '));
const VISIBLE_DISPLAY =
  /^(?:block|inline|inline-block|table|inline-table|table-(?:row|cell|row-group|header-group|footer-group|caption)|list-item|flow-root|-webkit-(?:inline-)?box|-webkit-flex|(?:inline-)?(?:flex|grid)|contents|inherit|initial|unset|revert)$/;
/** A box in which not even one short word fits. */
const NARROW_PX = 40;
const NOTHING_PX = 4;
/** Of all boxes around a text together. */
const SHIFT_MAX_PX = 40;
const SPACE_MAX_PX = 3_000;
const WIDTH_MAX_PX = 2_000;

/** What the box of an element does to the text in it. */
export function applyBoxStyle(draft: Draft, style: Declarations, element: BoxElement): void {
  applyDisplay(draft, style);
  applyOpacity(draft, style);
  applySpace(draft, style);
  applyPosition(draft, style);
  applyClips(draft, style);
  applySize(draft, style, element);
}

function applyDisplay(draft: Draft, style: Declarations): void {
  const display = style.get('display') ?? 'initial';
  if (display === 'none') draft.hiddenBy ??= 'display: none';
  else if (!VISIBLE_DISPLAY.test(display)) draft.found.add('display');
  if (style.get('mso-hide') === 'all') draft.hiddenBy ??= 'mso-hide: all';
}

function applyOpacity(draft: Draft, style: Declarations): void {
  const value = style.get('opacity') ?? 'initial';
  const number = /^(?:initial|unset|revert)$/.test(value)
    ? 1
    : /^(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})%?$/.test(value)
      ? Number.parseFloat(value)
      : Number.NaN;
  if (Number.isNaN(number)) draft.found.add('opacity');
  else draft.opacity *= Math.min(value.endsWith('%') ? number / 100 : number, 1);
  if (draft.opacity <= 0.05) draft.hiddenBy ??= 'opacity: 0';
  const filter = style.get('filter') ?? 'none';
  if (/opacity\(0(?:\.0{0,9})?%?\)/.test(filter)) draft.hiddenBy ??= 'opacity: 0';
  else if (!/^(?:none|initial|unset)$/.test(filter)) draft.found.add('filter');
}

/** Margins and padding. Negative ones lay elements over each other. */
function applySpace(draft: Draft, style: Declarations): void {
  for (const [property, value] of style) {
    if (!/^(?:margin|padding)/.test(property)) continue;
    const sides = splitCss(value, ' ').map((side) => sideOf(draft, side));
    if (sides.length > 4 || sides.includes(null)) draft.found.add(property);
    const least = Math.min(0, ...sides.map((side) => side ?? 0));
    const isBefore = !/right|bottom/.test(property);
    if (least <= -FAR_PX && isBefore) draft.hiddenBy ??= 'a position off the screen';
    draft.shift -= least;
    draft.space += Math.max(0, ...sides.map((side) => side ?? 0));
    if (least < 0 && draft.shift > SHIFT_MAX_PX) draft.found.add(property);
    if (draft.space > SPACE_MAX_PX) draft.found.add(property);
  }
}

function sideOf(draft: Draft, side: string): number | null {
  return /^(?:auto|inherit|initial|unset|revert)$/.test(side) ? 0 : pixelsOf(side, baseOf(draft));
}

const SIDES = ['left', 'top', 'right', 'bottom', 'inset'];

function applyPosition(draft: Draft, style: Declarations): void {
  const position = style.get('position') ?? 'static';
  if (/^(?:static|initial|unset|revert)$/.test(position)) return;
  const offsets = SIDES.flatMap((side) => splitCss(style.get(side) ?? '', ' ')).map((side) => sideOf(draft, side));
  const far = Math.max(0, ...offsets.map((offset) => Math.abs(offset ?? 0)));
  if (far >= FAR_PX) draft.hiddenBy ??= 'a position off the screen';
  draft.shift += far;
  const isMoved = offsets.includes(null) || (far > 0 && draft.shift > SHIFT_MAX_PX);
  if (position !== 'relative' || isMoved) draft.found.add('position');
}

function applyClips(draft: Draft, style: Declarations): void {
  const clip = (style.get('clip') ?? 'auto').replaceAll(' ', '');
  const path = style.get('clip-path') ?? 'none';
  if (/^rect\((?:0|1px)/.test(clip) || /^(?:inset\((?:50|100)%|circle\(0)/.test(path))
    draft.hiddenBy ??= 'a clip of everything';
  if (!/^(?:auto|initial|unset)$/.test(clip)) draft.found.add('clip');
  if (!/^(?:none|initial|unset)$/.test(path)) draft.found.add('clip-path');
  const transform = (style.get('transform') ?? 'none').replaceAll(' ', '');
  if (/scale[xy]?\(0(?:\.0{0,9})?[,)]/.test(transform)) draft.hiddenBy ??= 'a scale of 0';
  if (/translate[xy]?\(-\d{4}/.test(transform)) draft.hiddenBy ??= 'a position off the screen';
  if (!/^(?:none|initial|unset)$/.test(transform)) draft.found.add('transform');
}

/** Boxes that are smaller than their content, and cut it off. */
function applySize(draft: Draft, style: Declarations, { name, width }: BoxElement): void {
  const overflow = overflowOf(draft, style, name);
  const isCut = overflow === 'cut' || draft.isClipped;
  const grows = TABLE_PARTS.has(name) && /^(?:table|initial)/.test(style.get('display') ?? 'initial');
  const heights = grows ? [] : sizesOf(draft, style, ['height', 'max-height']);
  const own = style.has('width') || width === null ? style : new Map([...style, ['width', width]]);
  const widths = sizesOf(draft, own, ['width', 'max-width']);
  for (const [least, sizes] of [
    [Number.POSITIVE_INFINITY, heights],
    [NARROW_PX, widths],
  ] as const) {
    for (const { property, pixels } of sizes) {
      if ((isCut || overflow === 'scrolls') && pixels !== null && pixels <= NOTHING_PX) {
        draft.hiddenBy ??= 'a height or width of 0';
      } else if (isCut && (pixels === null || pixels < least)) draft.found.add(property);
    }
  }
  const isWide = [...widths, ...sizesOf(draft, style, ['min-width'])].some(
    ({ pixels }) => (pixels ?? 0) > WIDTH_MAX_PX,
  );
  if (isWide) draft.found.add('width');
  if (isCut && draft.isOneLine) draft.found.add('white-space');
  if (isCut && /flex|grid|box/.test(style.get('display') ?? '')) draft.found.add('display');
  // A box that cuts off its content is as small as the boxes around it let it be.
  if (overflow !== 'shows' && draft.isFlat) draft.found.add('height');
  if (heights.length > 0) draft.isFlat = true;
  draft.room = Math.min(draft.room, ...widths.map(({ pixels }) => pixels ?? 0));
  if (overflow !== 'shows' && draft.room < NARROW_PX) draft.found.add('width');
  if (overflow === 'cut') draft.isClipped = true;
}

function overflowOf(draft: Draft, style: Declarations, name: string): 'cut' | 'scrolls' | 'shows' {
  let found: 'cut' | 'scrolls' | 'shows' = 'shows';
  for (const property of ['overflow', 'overflow-x', 'overflow-y']) {
    const values = splitCss(style.get(property) ?? 'visible', ' ');
    // The window takes over that of the whole message, and wide messages still scroll in it.
    if (property === 'overflow-x' && (name === 'body' || name === 'html')) continue;
    if (
      values.length > 2 ||
      !values.every((value) => /^(?:visible|hidden|clip|auto|scroll|initial|unset|revert)$/.test(value))
    )
      draft.found.add(property);
    if (values.some((value) => value === 'hidden' || value === 'clip')) found = 'cut';
    else if (found !== 'cut' && values.some((value) => /auto|scroll/.test(value))) found = 'scrolls';
  }
  if (found === 'cut' && (name === 'body' || name === 'html')) draft.found.add('overflow');
  return found;
}

interface Size {
  readonly property: string;
  /** Null if it is not known. */
  readonly pixels: number | null;
}

function sizesOf(draft: Draft, style: Declarations, properties: readonly string[]): readonly Size[] {
  return properties.flatMap((property) => {
    const natural = property.startsWith('max') ? 'none' : 'auto';
    const value = style.get(property) ?? natural;
    if (
      value === natural ||
      /^(?:initial|unset|revert|min-content|fit-content)$/.test(value) ||
      /^[1-9]\d\d(?:\.0{1,9})?%$/.test(value)
    )
      return [];
    const isPart = /height/.test(property) && value.endsWith('%') && Number.parseFloat(value) > 0;
    return [{ property, pixels: isPart ? null : pixelsOf(value, baseOf(draft, draft.room)) }];
  });
}

/** Smaller elements cover a part that no one misses. */
const SMALL_PX = 64;

/** Whether an element with this look can lie over other parts of the message. */
export function coversOthers(
  draft: Draft,
  style: Declarations,
  outer: { readonly isFlat: boolean; readonly shift: number },
): boolean {
  if (draft.hiddenBy !== null) return false;
  const position = style.get('position') ?? 'static';
  const isSmall = ['width', 'height'].every((name) => (pixelsOf(style.get(name) ?? '') ?? SMALL_PX + 1) <= SMALL_PX);
  if (/absolute|fixed|sticky/.test(position)) return !isSmall;
  if (draft.shift > outer.shift && draft.shift > SHIFT_MAX_PX) return !isSmall;
  return outer.isFlat && position === 'relative' && hasBackground(style);
}

function hasBackground(style: Declarations): boolean {
  return ['background', 'background-color', 'background-image'].some(
    (name) => !/^(?:none|transparent|)$/.test(style.get(name) ?? ''),
  );
}
