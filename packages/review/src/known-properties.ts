import { splitCss } from './css-text.ts';
import { lacksUnit, pixelsOf } from './lengths.ts';

interface Judged {
  /** With `?` before it if its effect on the text is not known. */
  readonly property: string;
  readonly value: string;
}

/**
 * What a declaration can do to the text: null if nothing. Every property that is not listed here counts as one that can hide it, so a property
 * that browsers add later is reported too.
 */
export function judgeDeclaration(property: string, value: string): Judged | null {
  // Browsers drop these: old ways to address one of them.
  if (/^[*_+#!][\w-]{1,60}$/.test(property) || /[\\\t]9$|\\0$/.test(value)) return null;
  if (property.startsWith('--') && /^[\w-]+$/.test(property)) return null;
  // A block in a value ends the declaration in some browsers.
  if (/[{}]/.test(value)) return unclear(property);
  if (/^-?mso-[\w-]+$/.test(property)) return property === 'mso-hide' ? { property, value } : null;
  const name = property.replace(/^-(?:webkit|moz|ms|o|khtml)-/, '');
  if (HARMLESS.has(name)) return null;
  if (value.includes('\\')) return unclear(name);
  const isLimited = LIMITED.get(name);
  if (isLimited !== undefined)
    return isLimited(value) || /^(?:inherit|initial|unset)$/.test(value) ? null : unclear(name);
  const own = ALIASES.get(property) ?? property;
  if (!READ.has(own)) return unclear(name);
  if (own === 'filter' && /^(?:alpha\(opacity=\d{1,3}\)$|progid:)/.test(value)) return null;
  const bare = LENGTHS.has(own) ? splitCss(value, ' ').filter(lacksUnit) : [];
  if (bare.length > 0) return bare.every((number) => isSafeBare(own, Number(number))) ? null : unclear(name);
  return { property: own, value };
}

/** Whether a number without unit leaves the text visible if it is read as pixels, and also if it is dropped. */
function isSafeBare(property: string, number: number): boolean {
  return number >= (/width|height|size/.test(property) ? 4 : 0) && number <= 200;
}

function unclear(property: string): Judged {
  return { property: `?${/^[a-z-]{1,30}$/.test(property) ? property : 'an unusual property'}`, value: '' };
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** They leave text visible with every value. */
const HARMLESS = words(
  'accent-color align-content align-items align-self appearance background-attachment background-origin background-position ' +
    'background-position-x background-position-y background-repeat background-size behavior border-block-color border-block-style ' +
    'border-bottom-color border-bottom-left-radius border-bottom-right-radius border-bottom-style border-collapse border-color ' +
    'border-inline-color border-inline-style border-left-color border-left-style border-radius border-right-color border-right-style ' +
    'border-style border-top-color border-top-left-radius border-top-right-radius border-top-style box-align box-decoration-break ' +
    'box-direction box-ordinal-group box-orient box-pack box-sizing break-after break-before break-inside caption-side caret-color ' +
    'clear color-adjust counter-increment counter-reset counter-set cursor empty-cells fill flex-direction flex-flow flex-wrap float ' +
    'font-feature-settings font-kerning font-optical-sizing font-smoothing font-stretch font-style font-synthesis font-weight hyphens ' +
    'image-rendering interpolation-mode isolation justify-content justify-items justify-self language layout-grid-mode line-break ' +
    'list-style-image list-style-position object-fit object-position order orphans osx-font-smoothing outline-color outline-style ' +
    'overflow-scrolling overflow-wrap overscroll-behavior page page-break-after page-break-before page-break-inside place-content ' +
    'place-items place-self pointer-events print-color-adjust punctuation-wrap resize scroll-behavior scrollbar-color scrollbar-width ' +
    'stroke supported-color-schemes tab-interval tab-stops table-layout tap-highlight-color text-align text-align-last text-autospace ' +
    'text-decoration-color text-decoration-line text-decoration-skip text-decoration-skip-ink text-decoration-style text-justify ' +
    'text-overflow text-rendering text-underline text-underline-position touch-action touch-callout transition transition-delay ' +
    'transition-duration transition-property transition-timing-function user-modify user-select widows will-change word-break word-wrap',
);

function oneOf(pattern: RegExp): (value: string) => boolean {
  return (value) => pattern.test(value);
}

/** Whether all lengths of a value are in a range, in pixels. It may also have words and colors, but no other function. */
function within(most: number, least = 0): (value: string) => boolean {
  return (value) =>
    splitCss(value, ' ').every((part) => {
      if (/^(?:rgb|hsl)a?\(/.test(part) || part.startsWith('#')) return true;
      if (!/[\d(]/.test(part)) return /^[a-z/-]{1,30}$/.test(part);
      const pixels = pixelsOf(part);
      return pixels !== null && pixels <= most && pixels >= least;
    });
}

const NONE = oneOf(/^none$/);
const BORDER = within(200);
/** Fonts whose letters are pictures, or nothing. */
const PICTURE_FONT =
  /dingbat|webdings|wingdings|symbol|marlett|mdl2|barcode|blank|ornament|braille|last ?resort|icon|redact|blokk|\(/;

/** They leave text visible with these values. */
const LIMITED: ReadonlyMap<string, (value: string) => boolean> = new Map(
  Object.entries({
    ...{
      animation: NONE,
      'animation-name': NONE,
      'backdrop-filter': NONE,
      contain: NONE,
      mask: NONE,
      'mask-image': NONE,
    },
    ...{
      'border-image': NONE,
      rotate: NONE,
      translate: NONE,
      perspective: NONE,
      'line-clamp': NONE,
      'text-stroke': NONE,
    },
    ...{ border: BORDER, 'border-top': BORDER, 'border-right': BORDER, 'border-bottom': BORDER, 'border-left': BORDER },
    ...{ 'border-width': BORDER, 'border-top-width': BORDER, 'border-right-width': BORDER, 'border-spacing': BORDER },
    ...{ 'border-bottom-width': BORDER, 'border-left-width': BORDER, 'border-block': BORDER, 'border-inline': BORDER },
    ...{ gap: BORDER, 'row-gap': BORDER, 'column-gap': BORDER, outline: within(10), 'outline-width': within(10) },
    'outline-offset': within(20, -20),
    'background-blend-mode': oneOf(/^normal$/),
    'background-clip': oneOf(/^(?:border|padding|content)-box$/),
    'box-shadow': (value) => !value.includes('inset') && splitCss(value, ',').every(within(60, -60)),
    'color-scheme': oneOf(/^(?:normal|light|light only|only light|light dark|dark light)$/),
    content: oneOf(/^(?:normal|none|""|'')$/),
    'content-visibility': oneOf(/^visible$/),
    direction: oneOf(/^(?:ltr|rtl)$/),
    flex: oneOf(/^(?:none|auto|initial|[1-9]\d?(?: [01](?: (?:auto|0|0px|0%|100%))?)?|0 [01] auto)$/),
    'flex-basis': oneOf(/^(?:auto|content|max-content|fit-content|100%)$/),
    'flex-grow': oneOf(/^\d{1,3}$/),
    'flex-shrink': oneOf(/^\d{1,3}$/),
    'font-family': (value) => !PICTURE_FONT.test(value.replaceAll('segoe ui symbol', '')),
    'font-size-adjust': NONE,
    'font-variant': oneOf(/^[a-z -]{1,80}$/),
    'font-variant-caps': oneOf(/^[a-z -]{1,80}$/),
    'font-variant-ligatures': oneOf(/^[a-z -]{1,80}$/),
    'font-variant-numeric': oneOf(/^[a-z -]{1,80}$/),
    'list-style': oneOf(/^(?!.*(?:url\(.*){2})(?:[a-z -]{1,60}|[a-z -]{0,60}url\([^()"']{1,500}\)[a-z -]{0,60})$/),
    'list-style-type': oneOf(/^[a-z-]{1,40}$/),
    'mix-blend-mode': oneOf(/^normal$/),
    quotes: oneOf(/^(?:auto|none)$/),
    scale: oneOf(/^(?:none|1|100%)$/),
    'text-combine-upright': NONE,
    'text-decoration': within(3),
    'text-decoration-thickness': within(3),
    'text-shadow': (value) => splitCss(value, ',').length === 1 && within(6, -6)(value),
    'text-size-adjust': oneOf(/^(?:none|auto|[5-9]\d%|1\d\d%)$/),
    'text-transform': oneOf(/^(?:none|uppercase|lowercase|capitalize)$/),
    'text-underline-offset': within(20, -2),
    'text-wrap': oneOf(/^(?:wrap|balance|pretty)$/),
    'unicode-bidi': oneOf(/^(?:normal|embed|isolate|plaintext)$/),
    'vertical-align': within(40, -40),
    'word-spacing': oneOf(/^(?:normal|0|0px)$/),
    'z-index': oneOf(/^(?:auto|\d{1,9})$/),
    zoom: oneOf(/^(?:1|100%|normal)$/),
  }),
);

/** The same in the ordinary direction of writing. The properties that change it are not known. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ 'block-size': 'height', 'max-block-size': 'max-height', 'min-block-size': 'min-height' },
    ...{ 'inline-size': 'width', 'max-inline-size': 'max-width', 'min-inline-size': 'min-width' },
    ...{
      'margin-block-start': 'margin-top',
      'margin-block-end': 'margin-bottom',
      'margin-inline-start': 'margin-left',
    },
    ...{
      'margin-inline-end': 'margin-right',
      'padding-block-start': 'padding-top',
      'padding-block-end': 'padding-bottom',
    },
    ...{ 'padding-inline-start': 'padding-left', 'padding-inline-end': 'padding-right', 'inset-block-start': 'top' },
    ...{ 'inset-block-end': 'bottom', 'inset-inline-start': 'left', 'inset-inline-end': 'right' },
    ...{ 'overflow-block': 'overflow-y', 'overflow-inline': 'overflow-x' },
  }),
);

const LENGTHS = words(
  'font-size height max-height min-height width max-width min-width left top right bottom text-indent letter-spacing margin margin-left ' +
    'margin-right margin-top margin-bottom padding padding-left padding-right padding-top padding-bottom',
);

/** Their values are read for each element. */
const READ = new Set([
  ...LENGTHS,
  ...words(
    '-webkit-text-fill-color background background-color background-image clip clip-path color display filter font inset line-height ' +
      'margin-block margin-inline mso-hide opacity overflow overflow-x overflow-y padding-block padding-inline position transform ' +
      'visibility white-space',
  ),
]);
