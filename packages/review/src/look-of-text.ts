import { colorOf, type Declarations, looksEqual, pixelsOf, type Rgb } from './style-values.ts';

/** How the text of an element shows, as far as it decides whether it shows. */
export interface TextLook {
  /** What hides it with everything in it; null if nothing does. */
  readonly hiddenBy: string | null;
  /** The next three can be undone by an inner element. */
  readonly invisible: boolean;
  readonly tiny: boolean;
  /** Null if it is not known. */
  readonly color: Rgb | 'transparent' | null;
  readonly background: Rgb | null;
}

export const ORDINARY_LOOK: TextLook = {
  ...{ hiddenBy: null, invisible: false, tiny: false },
  ...{ color: [0, 0, 0], background: [255, 255, 255] },
};

/** What hides text with this look; null if nothing does. */
export function whatHides({ hiddenBy, invisible, tiny, color, background }: TextLook): string | null {
  if (hiddenBy !== null) return hiddenBy;
  if (invisible) return 'visibility: hidden';
  if (tiny) return 'font-size: 0';
  if (color === 'transparent') return 'color: transparent';
  const isEqual = color !== null && background !== null && looksEqual(color, background);
  return isEqual ? 'a text color equal to the background' : null;
}

/** The look of an element within another one. */
export function lookWithin(
  outer: TextLook,
  attributes: ReadonlyMap<string, string>,
  styles: readonly Declarations[],
): TextLook {
  let look = applyAttributes(outer, attributes);
  for (const style of styles) look = applyStyle(look, style);
  return look;
}

function applyAttributes(look: TextLook, attributes: ReadonlyMap<string, string>): TextLook {
  const color = attributes.get('color') ?? attributes.get('text');
  const background = attributes.get('bgcolor');
  return {
    ...look,
    ...(attributes.has('hidden') ? { hiddenBy: look.hiddenBy ?? 'the hidden attribute' } : {}),
    ...(color === undefined ? {} : { color: colorOf(color.trim().toLowerCase()) }),
    ...(background === undefined ? {} : { background: solid(colorOf(background.trim().toLowerCase()), null) }),
    // A picture, whose colors are not known.
    ...(attributes.has('background') ? { background: null } : {}),
  };
}

function applyStyle(look: TextLook, style: Declarations): TextLook {
  const visibility = style.get('visibility');
  const color = style.get('color');
  return {
    hiddenBy: look.hiddenBy ?? hidingStyle(style),
    invisible: visibility === undefined || visibility === 'inherit' ? look.invisible : visibility !== 'visible',
    tiny: isTiny(look.tiny, style),
    color: color === undefined || color === 'inherit' ? look.color : colorOf(color),
    background: backgroundOf(look.background, style),
  };
}

function isTiny(outer: boolean, style: Declarations): boolean {
  const size =
    style.get('font-size') ?? /^(?:[a-z]{1,20} ){0,4}([\d.]{1,9}[a-z%]{0,3})[ /]/.exec(style.get('font') ?? '')?.[1];
  const pixels = pixelsOf(size);
  if (size === undefined || pixels === null)
    return size === undefined ? outer : outer && !/^(?:x{0,2}-)?(?:small|medium|large)/.test(size);
  return pixels < 2 || (outer && /(?:\dem|%)$/.test(size));
}

function backgroundOf(outer: Rgb | null, style: Declarations): Rgb | null {
  const image = style.get('background-image') ?? 'none';
  const shorthand = style.get('background') ?? '';
  if (image !== 'none' || /url\(|gradient/.test(shorthand)) return null;
  const named =
    style.get('background-color') ?? (shorthand.startsWith('rgb') ? shorthand : (shorthand.split(' ')[0] ?? ''));
  return named === '' || named === 'none' || named === 'inherit' ? outer : solid(colorOf(named), outer);
}

function solid(color: Rgb | 'transparent' | null, outer: Rgb | null): Rgb | null {
  return color === 'transparent' ? outer : color;
}

/** Far enough from the message to be off every screen. */
const FAR_PX = 400;

function hidingStyle(style: Declarations): string | null {
  const of = (name: string) => style.get(name) ?? '';
  if (of('display') === 'none') return 'display: none';
  if (of('mso-hide') === 'all') return 'mso-hide: all';
  const opacity = of('opacity');
  if (opacity !== '' && Number.parseFloat(opacity) <= (opacity.endsWith('%') ? 5 : 0.05)) return 'opacity: 0';
  if (/opacity\(0(?:\.0{0,9})?%?\)/.test(of('filter'))) return 'opacity: 0';
  if (isCutOff(style)) return 'a height or width of 0';
  if (isOffScreen(style)) return 'a position off the screen';
  if (
    /^rect\((?:0|1px)/.test(of('clip').replaceAll(' ', '')) ||
    /^(?:inset\((?:50|100)%|circle\(0)/.test(of('clip-path'))
  ) {
    return 'a clip of everything';
  }
  return /scale[xy]?\(0(?:\.0{0,9})?[,)]/.test(of('transform').replaceAll(' ', '')) ? 'a scale of 0' : null;
}

function isCutOff(style: Declarations): boolean {
  const overflows = ['overflow', 'overflow-x', 'overflow-y'].map((name) => style.get(name) ?? '');
  if (!overflows.some((value) => value.includes('hidden') || value.includes('clip'))) return false;
  return ['height', 'max-height', 'width', 'max-width'].some((name) => (pixelsOf(style.get(name)) ?? FAR_PX) <= 1);
}

function isOffScreen(style: Declarations): boolean {
  const isBefore = (name: string) => (pixelsOf(style.get(name)) ?? 0) <= -FAR_PX;
  if (['text-indent', 'margin-left', 'margin-top'].some(isBefore)) return true;
  if (/translate[xy]?\(-\d{4}/.test(style.get('transform') ?? '')) return true;
  return /absolute|fixed|relative/.test(style.get('position') ?? '') && ['left', 'top', 'right'].some(isBefore);
}
