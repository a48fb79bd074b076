export type Declarations = ReadonlyMap<string, string>;

export type Rgb = readonly [number, number, number];

/** Property and value in lower case, without comments, escapes and `!important`; of two with one name the last counts. */
export function readDeclarations(style: string): ReadonlyMap<string, string> {
  const declarations = new Map<string, string>();
  for (const part of withoutComments(style).toLowerCase().split(';')) {
    const colon = part.indexOf(':');
    if (colon < 0) continue;
    const value = unescapeCss(part.slice(colon + 1))
      .replace('!important', '')
      .trim();
    declarations.set(unescapeCss(part.slice(0, colon)).trim(), value);
  }
  return declarations;
}

/** Without the properties that cannot hide or cover anything, so that little is left of a long style. */
export function onlySeen(declarations: Declarations): Declarations {
  return new Map([...declarations].filter(([property]) => SEEN.has(property)));
}

export function withoutComments(css: string): string {
  if (!css.includes('/*')) return css;
  const parts: string[] = [];
  for (let at = 0; at < css.length; ) {
    const open = css.indexOf('/*', at);
    const close = open < 0 ? -1 : css.indexOf('*/', open + 2);
    parts.push(css.slice(at, open < 0 ? css.length : open));
    at = open < 0 || close < 0 ? css.length : close + 2;
  }
  return parts.join('');
}

export function unescapeCss(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, hex: string | undefined, other: string | undefined) => {
    const code = Number.parseInt(hex ?? '', 16);
    return other ?? (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '');
  });
}

const PIXELS: ReadonlyMap<string, number> = new Map([
  ...([
    ['', 1],
    ['px', 1],
    ['pt', 4 / 3],
    ['em', 16],
    ['rem', 16],
    ['ex', 8],
    ['ch', 8],
    ['%', 0.16],
  ] as const),
  ...([
    ['vw', 10],
    ['vh', 8],
    ['in', 96],
    ['cm', 38],
    ['mm', 4],
    ['pc', 16],
  ] as const),
]);

/** A length in pixels, roughly; null for anything else. */
export function pixelsOf(value: string | undefined): number | null {
  const [, number, unit] = /^([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))([a-z%]{0,3})$/.exec(value ?? '') ?? [];
  const size = PIXELS.get(unit ?? '');
  return number === undefined || size === undefined ? null : Number(number) * size;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ...([
    ['white', '#fff'],
    ['black', '#000'],
    ['snow', '#fffafa'],
    ['ivory', '#fffff0'],
    ['whitesmoke', '#f5f5f5'],
  ] as const),
  ...([
    ['ghostwhite', '#f8f8ff'],
    ['silver', '#c0c0c0'],
    ['gray', '#808080'],
    ['grey', '#808080'],
    ['red', '#f00'],
  ] as const),
  ...([
    ['floralwhite', '#fffaf0'],
    ['mintcream', '#f5fffa'],
    ['azure', '#f0ffff'],
    ['seashell', '#fff5ee'],
  ] as const),
  ...([
    ['navy', '#000080'],
    ['blue', '#00f'],
    ['green', '#008000'],
    ['yellow', '#ff0'],
    ['orange', '#ffa500'],
  ] as const),
]);

/** Null for a color that is not known; `transparent` for one that shows nothing. */
export function colorOf(value: string): Rgb | 'transparent' | null {
  const given = NAMES.get(value) ?? value;
  if (given === 'transparent') return given;
  const [, hex] = /^#?([0-9a-f]{3,8})$/.exec(given) ?? [];
  if (hex !== undefined) return hexColor(hex);
  const [, inner] = /^rgba?\(([^()]{1,100})\)$/.exec(given) ?? [];
  if (inner === undefined) return null;
  const [red, green, blue, alpha] = inner
    .split(/[\s,/]/)
    .filter((part) => part !== '')
    .map(channelOf);
  if (alpha !== undefined && alpha <= 0.05) return 'transparent';
  return red === undefined || green === undefined || blue === undefined ? null : [red, green, blue];
}

function channelOf(part: string): number {
  const number = Number.parseFloat(part);
  return part.endsWith('%') ? number * 2.55 : number;
}

function hexColor(hex: string): Rgb | 'transparent' | null {
  const wide = hex.length <= 4 ? [...hex].map((digit) => digit + digit).join('') : hex;
  if (wide.length === 8 && wide.endsWith('00')) return 'transparent';
  if (wide.length !== 6 && wide.length !== 8) return null;
  const at = (index: number) => Number.parseInt(wide.slice(index, index + 2), 16);
  return [at(0), at(2), at(4)];
}

/** Whether no one can tell two colors apart. */
export function looksEqual(one: Rgb, other: Rgb): boolean {
  return one.every((channel, index) => Math.abs(channel - (other[index] ?? 0)) <= 12);
}

/** The properties that can hide text, or cover it. */
const SEEN = new Set(
  (
    'display visibility opacity font-size font color background background-color background-image overflow overflow-x overflow-y height ' +
    'max-height width max-width position left top right bottom inset min-width min-height text-indent margin-left margin-top clip clip-path ' +
    'transform mso-hide filter'
  ).split(' '),
);
