import { type Color, colorOf, over, type Rgb } from './colors.ts';
import { splitCss } from './css-text.ts';
import { lacksUnit, pixelsOf } from './lengths.ts';

/** What can be behind a text. */
export interface Ground {
  /** Each can be behind all of the text or a part of it. */
  readonly colors: readonly Rgb[];
  /** Whether a picture is over them, whose colors are not known. */
  readonly hasPicture: boolean;
}

/** The background of one element. */
export interface Layers {
  readonly color: Color | null;
  /** The colors of its gradients. */
  readonly stops: readonly Color[];
  readonly hasPicture: boolean;
}

/** More are not compared. */
const COLORS_MAX = 12;
const LAYERS_MAX = 6;

export const NO_LAYERS: Layers = { color: null, stops: [], hasPicture: false };

/** The background of an element after one more declaration; null if it cannot be judged. */
export function withLayers(layers: Layers | null, property: string, value: string): Layers | null {
  const isShorthand = property === 'background';
  const given = /^(?:none|inherit|initial|unset)$/.test(value) ? NO_LAYERS : readLayers(value, property);
  if (given === null || isShorthand || layers === null) return given;
  return property === 'background-color' ? { ...layers, color: given.color } : { ...given, color: layers.color };
}

/** What is behind the text of an element with this background. */
export function groundOver(outer: Ground | null, { color, stops, hasPicture }: Layers): Ground | null {
  const base = color === null ? outer : withColor(outer, color);
  if (base === null || (stops.length === 0 && !hasPicture)) return base;
  const mixed = stops.flatMap((stop) => base.colors.map((behind) => over(stop, behind)));
  const colors = uniqueColors([...base.colors, ...mixed]);
  return colors.length > COLORS_MAX ? null : { colors, hasPicture: base.hasPicture || hasPicture };
}

/** A color over all that is behind it. */
function withColor(outer: Ground | null, color: Color): Ground | null {
  if (color.alpha >= 1) return { colors: [color.rgb], hasPicture: false };
  if (outer === null) return null;
  return { ...outer, colors: uniqueColors(outer.colors.map((behind) => over(color, behind))) };
}

function readLayers(value: string, property: string): Layers | null {
  const layers = splitCss(value, ',');
  if (layers.length > LAYERS_MAX) return null;
  const stops: Color[] = [];
  let [color, hasPicture]: [Color | null, boolean] = [null, false];
  for (const [index, layer] of layers.entries()) {
    const read = readLayer(splitCss(layer, ' '), property);
    // Browsers drop a value with a color in another layer than the last.
    if (read === null || (read.color !== null && index < layers.length - 1)) return null;
    stops.push(...read.stops);
    color = read.color;
    hasPicture ||= read.hasPicture;
  }
  return { color, stops, hasPicture };
}

/** Null for what some browsers drop, because the declaration before it applies then. */
function readLayer(parts: readonly string[], property: string): Layers | null {
  const colors: Color[] = [];
  const images: (readonly Color[])[] = [];
  const others: string[] = [];
  for (const part of parts) {
    const color = colorOf(part);
    const image = imageOf(part);
    if (color !== null) colors.push(color);
    else if (image !== null) images.push(image);
    else others.push(part);
  }
  if (colors.length > 1 || images.length > 1) return null;
  if (property !== 'background' && parts.length !== 1) return null;
  if (property === 'background-color' ? images.length > 0 : property === 'background-image' && colors.length > 0)
    return null;
  if (property === 'background' ? !isPlacing(others) : others.length > 0) return null;
  const isPicture = parts.some((part) => part.startsWith('url('));
  return { color: colors[0] ?? null, stops: images[0] ?? [], hasPicture: isPicture };
}

const URL_VALUE = /^url\(\s{0,9}(?:"[^"\\\n]*"|'[^'\\\n]*'|[^\s"'()\\]*)\s{0,9}\)$/;

/** The colors of an image: none of a picture. Null for anything else. */
function imageOf(part: string): readonly Color[] | null {
  return part === 'none' || URL_VALUE.test(part) ? [] : stopsOf(part);
}

const SIDE = '(?:left|right|top|bottom|center)';
const POSITION = new RegExp(
  `^(?:${SIDE}|@|(?:left|right|center|@) (?:top|bottom|center|@)|(?:top|bottom) (?:left|right|center))$`,
);
const SIZE = /^(?:cover|contain|(?:auto|@)(?: (?:auto|@))?)$/;

/** Where an image is placed, as all browsers read it. */
function isPlacing(parts: readonly string[]): boolean {
  const places: string[] = [];
  const rest: string[] = [];
  for (const part of parts.flatMap((one) => one.split(/(\/)/)).filter((one) => one !== '')) {
    const isPlace = /^(?:left|right|top|bottom|center|cover|contain|auto|\/)$/.test(part);
    if (isPlace) places.push(part);
    else if (pixelsOf(part) !== null && !lacksUnit(part)) places.push('@');
    else rest.push(part);
  }
  const [position = '', size, ...more] = places.join(' ').split(' / ');
  const isPlaced = (position === '' && size === undefined) || POSITION.test(position);
  const repeats = rest.filter((part) => /^(?:no-repeat|repeat|repeat-x|repeat-y)$/.test(part));
  const fixes = rest.filter((part) => /^(?:scroll|fixed)$/.test(part));
  if (repeats.length > 1 || fixes.length > 1 || repeats.length + fixes.length !== rest.length) return false;
  return isPlaced && more.length === 0 && (size === undefined || SIZE.test(size));
}

const DIRECTION =
  /^(?:to (?:top|bottom|left|right)|to (?:top|bottom) (?:left|right)|to (?:left|right) (?:top|bottom)|-?\d{1,4}deg|circle|ellipse|circle at center)$/;

/** The colors of a gradient; null for anything else. Between two of them are only mixtures of both. */
function stopsOf(part: string): readonly Color[] | null {
  const [, shape, inner] = /^(linear|radial)-gradient\(([\s\S]{1,500})\)$/.exec(part) ?? [];
  if (inner === undefined) return null;
  const found: Color[] = [];
  for (const [index, stop] of splitCss(inner, ',').entries()) {
    const direction = stop.trim().replaceAll(/\s{1,9}/g, ' ');
    if (index === 0 && DIRECTION.test(direction) && /circle|ellipse/.test(direction) === (shape === 'radial')) continue;
    const [first = '', ...places] = splitCss(stop, ' ');
    const color = colorOf(first);
    if (color === null || places.length > 1 || places.some((place) => pixelsOf(place) === null || lacksUnit(place)))
      return null;
    found.push(color);
  }
  return found.length > COLORS_MAX || found.length < 2 ? null : found;
}

function uniqueColors(colors: readonly Rgb[]): readonly Rgb[] {
  return [...new Map(colors.map((color) => [color.map(Math.round).join(' '), color])).values()];
}
