import type { Ground } from './backgrounds.ts';
import { BLACK, type Color, LINK_BLUE, looksEqual, WHITE } from './colors.ts';

/** How the text of an element shows, as far as it decides whether it shows. */
export interface TextLook {
  /** What hides it with everything in it; null if nothing does. */
  readonly hiddenBy: string | null;
  /** The properties of this element and of outer ones that can hide the text, and cannot be judged. Elements are in `<>`. */
  readonly unclear: readonly string[];
  /** An inner element can undo what follows. */
  readonly invisible: boolean;
  /** In pixels. */
  readonly size: number;
  readonly rootSize: number;
  readonly lineHeight: LineHeight;
  readonly letterSpacing: number;
  /** Null if it cannot be judged. */
  readonly color: Color | null;
  /** The color that some programs show instead; undefined for none. */
  readonly fill: Color | null | undefined;
  readonly linkColor: Color | null;
  readonly ground: Ground | null;
  readonly opacity: number;
  readonly isOneLine: boolean;
  /** Whether an outer element cuts off what is outside of it. */
  readonly isClipped: boolean;
  /** Whether an outer element has a height that does not grow with its content. */
  readonly isFlat: boolean;
  /** How wide it can be, in pixels. */
  readonly room: number;
  /** How far it is moved from its place, and how far space moves it, in pixels. */
  readonly shift: number;
  readonly space: number;
  /** `inside` a closed `details` element, or directly `below` its start, where its summary shows. */
  readonly closed: 'no' | 'below' | 'inside';
}

export type LineHeight = { readonly factor: number } | { readonly pixels: number };

export const NORMAL_LINE: LineHeight = { factor: 1.2 };

export const ORDINARY_LOOK: TextLook = {
  ...{
    hiddenBy: null,
    unclear: [],
    invisible: false,
    size: 16,
    rootSize: 16,
    lineHeight: NORMAL_LINE,
    letterSpacing: 0,
  },
  ...{
    color: BLACK,
    fill: undefined,
    linkColor: LINK_BLUE,
    ground: { colors: [WHITE.rgb], hasPicture: false },
    opacity: 1,
  },
  ...{ isOneLine: false, isClipped: false, isFlat: false, room: 600, shift: 0, space: 0, closed: 'no' },
};

/** People cannot read smaller letters. */
const READABLE_PX = 4;

/** What hides text with this look; null if nothing does. */
export function whatHides({
  hiddenBy,
  closed,
  invisible,
  size,
  color,
  fill,
  ground,
  opacity,
}: TextLook): string | null {
  if (hiddenBy !== null) return hiddenBy;
  if (closed !== 'no') return 'a closed details element';
  if (invisible) return 'visibility: hidden';
  if (size < READABLE_PX) return size < 0.5 ? 'font-size: 0' : 'a tiny font size';
  const shown = fill ?? color;
  if (shown === null) return null;
  if (shown.alpha <= 0.05) return 'color: transparent';
  if (ground === null || ground.hasPicture || !ground.colors.every((behind) => looksEqual(shown, behind, opacity)))
    return null;
  return opacity < 0.5 ? 'a low opacity' : 'a text color equal to the background';
}

/** Of 255: how near the colors of a gradient come to a color between them. */
const NEAR = 24;

/** What can hide text with this look, and cannot be judged. */
export function whatIsUnclear(look: TextLook): readonly string[] {
  const { unclear, color, fill, ground } = look;
  const found = spacingOf(look);
  const shown = fill === undefined ? color : fill;
  if (shown === null) found.push(fill === null ? '-webkit-text-fill-color' : 'color');
  else if (ground === null) found.push('background');
  else if (mayHide(ground, shown, look.opacity)) found.push(ground.hasPicture ? 'url()' : 'background');
  if (found.length === 0) return unclear;
  return unclear.length === 0 ? found : [...new Set([...unclear, ...found])];
}

/** The same without what depends on the colors of other elements. */
export function whatIsUnclearAlone(look: TextLook): readonly string[] {
  return whatIsUnclear({ ...look, ground: look.ground === null ? null : NO_GROUND });
}

const NO_GROUND: Ground = { colors: [], hasPicture: false };

function spacingOf({ size, lineHeight, letterSpacing }: TextLook): string[] {
  const found: string[] = [];
  const line = 'factor' in lineHeight ? lineHeight.factor * size : lineHeight.pixels;
  // Lines that lie over each other, or far apart. NaN is neither.
  if (!(line >= size * 0.4 && line <= 600)) found.push('line-height');
  if (!(letterSpacing >= size * -0.25 && letterSpacing <= 100)) found.push('letter-spacing');
  return found;
}

function mayHide({ colors, hasPicture }: Ground, shown: Color, opacity: number): boolean {
  if (colors.length === 0) return false;
  if (colors.some((behind) => looksEqual(shown, behind, opacity))) return hasPicture || colors.length > 1;
  if (colors.length === 1) return false;
  return shown.rgb.every((channel, index) => {
    const range = colors.map((behind) => behind[index] ?? 0);
    return channel >= Math.min(...range) - NEAR && channel <= Math.max(...range) + NEAR;
  });
}
