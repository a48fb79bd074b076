import { COLOR_NAMES } from './color-names.ts';

export type Rgb = readonly [red: number, green: number, blue: number];

/** Channels from 0 to 255, and how opaque it is from 0 to 1. */
export interface Color {
  readonly rgb: Rgb;
  readonly alpha: number;
}

export const BLACK: Color = { rgb: [0, 0, 0], alpha: 1 };
export const WHITE: Color = { rgb: [255, 255, 255], alpha: 1 };
export const LINK_BLUE: Color = { rgb: [0, 0, 238], alpha: 1 };
const TRANSPARENT: Color = { rgb: [0, 0, 0], alpha: 0 };

/**
 * A color as all programs read it: a name, a hexadecimal number, `rgb()` or `hsl()`. Null for everything else, which includes the newer functions
 * and the colors of the system: not all programs know them, and each shows something else then.
 */
export function colorOf(value: string): Color | null {
  if (value === 'transparent') return TRANSPARENT;
  const hex = COLOR_NAMES.get(value) ?? (value.startsWith('#') ? value.slice(1) : null);
  if (hex !== null) return hexColor(hex);
  const [, name, inner = ''] = /^(rgb|hsl)a?\(([^()]{1,100})\)$/.exec(value) ?? [];
  const [channels, alpha] = partsOf(inner.trim());
  if (channels.length !== 3 || !(alpha === undefined || ALPHA.test(alpha))) return null;
  const written = channels.join(' ');
  if (!(name === 'rgb' ? RGB : HSL).test(written)) return null;
  return {
    rgb: name === 'rgb' ? rgbOf(channels) : hslColor(channels),
    alpha: clamp(scaled(alpha ?? '1', 1), 0, 1),
  };
}

const NUMBER = String.raw`[+-]?(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})`;
const ALPHA = new RegExp(`^${NUMBER}%?$`);
const RGB = new RegExp(`^(?:${NUMBER} ${NUMBER} ${NUMBER}|${NUMBER}% ${NUMBER}% ${NUMBER}%)$`);
const HSL = new RegExp(`^${NUMBER}(?:deg)? ${NUMBER}% ${NUMBER}%$`);

/** `1, 2, 3, .5` or `1 2 3 / .5`. Browsers drop mixtures of both. */
function partsOf(inner: string): readonly [readonly string[], string | undefined] {
  if (inner.includes(',')) {
    const parts = inner.split(',').map((part) => part.trim());
    return parts.length > 4 ? [[], undefined] : [parts.slice(0, 3), parts[3]];
  }
  const [channels = '', alpha, ...more] = inner.split('/').map((part) => part.trim());
  return more.length > 0 ? [[], undefined] : [channels.split(/\s{1,9}/), alpha];
}

/** The same in an attribute, where browsers also read a number without `#`. */
export function colorOfAttribute(value: string): Color | null {
  const color = value.trim().toLowerCase();
  return colorOf(/^[0-9a-f]{6}$/.test(color) && !COLOR_NAMES.has(color) ? `#${color}` : color);
}

function hexColor(hex: string): Color | null {
  const wide = hex.length <= 4 ? [...hex].map((digit) => digit + digit).join('') : hex;
  if (!/^(?:[0-9a-f]{6}|[0-9a-f]{8})$/.test(wide)) return null;
  const at = (index: number) => Number.parseInt(wide.slice(index, index + 2), 16);
  return { rgb: [at(0), at(2), at(4)], alpha: wide.length === 8 ? at(6) / 255 : 1 };
}

function rgbOf(parts: readonly string[]): Rgb {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => clamp(scaled(part, 255), 0, 255));
  return [red, green, blue];
}

function hslColor([hue = '', saturation = '', lightness = '']: readonly string[]): Rgb {
  const turn = (((Number.parseFloat(hue) % 360) + 360) % 360) / 30;
  const [part, light] = [saturation, lightness].map((one) => clamp(Number.parseFloat(one) / 100, 0, 1));
  const channel = (offset: number) => {
    const at = (offset + turn) % 12;
    const reach = (part ?? 0) * Math.min(light ?? 0, 1 - (light ?? 0));
    return 255 * ((light ?? 0) - reach * clamp(Math.min(at - 3, 9 - at), -1, 1));
  };
  return [channel(0), channel(8), channel(4)];
}

function scaled(part: string, whole: number): number {
  const number = Number.parseFloat(part);
  return part.endsWith('%') ? (number * whole) / 100 : number;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** What shows of a color over another one. */
export function over({ rgb, alpha }: Color, ground: Rgb): Rgb {
  const mixed = rgb.map((channel, index) => channel * alpha + (ground[index] ?? 0) * (1 - alpha));
  return [mixed[0] ?? 0, mixed[1] ?? 0, mixed[2] ?? 0];
}

/** Of 255. People do not see less on a bright screen. */
const UNSEEN_DIFFERENCE = 24;

/** Whether no one can tell a color from what is behind it. */
export function looksEqual({ rgb, alpha }: Color, ground: Rgb, opacity: number): boolean {
  const difference = Math.max(...rgb.map((channel, index) => Math.abs(channel - (ground[index] ?? 0))));
  return difference * alpha * opacity <= UNSEEN_DIFFERENCE;
}
