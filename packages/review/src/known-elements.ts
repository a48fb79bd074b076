function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Browsers show no text in them. */
const HIDING = words('template title script iframe noembed noframes datalist rp');

/** Their content shows as ordinary text, as far as styles do not say otherwise. */
const SHOWING = words(
  'a abbr acronym address area article aside b base basefont bdi bdo big blockquote body br button caption center cite code col colgroup dd ' +
    'del dfn dir div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i img input ins ' +
    'kbd label legend li link listing main map mark menu meta nav nobr ol p param picture plaintext pre q rb rt rtc ruby s samp search section ' +
    'small source span strike strong style sub summary sup table tbody td tfoot th thead time tr track tt u ul var wbr xmp xml',
);

/** What hides all text of an element whatever its styles are; null if nothing does. */
export function hidingElement(name: string, attributes: ReadonlyMap<string, string>): string | null {
  if (HIDING.has(name)) return `a ${name} element`;
  if (name === 'dialog' && !attributes.has('open')) return 'a closed dialog element';
  if (attributes.has('popover')) return 'the popover attribute';
  return null;
}

/** Whether programs differ in how they show the content of an element, or can hide it. New elements of browsers are unclear too. */
export function isUnclearElement(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (name === 'bdo') return attributes.get('dir')?.toLowerCase() !== 'ltr';
  // Names of other languages, such as `o:p`, and of elements that only scripts define.
  return !SHOWING.has(name) && name !== 'details' && !HIDING.has(name) && !/[:-]/.test(name);
}

/** Of `<font size=1>` to `<font size=7>`, in pixels. */
const FONT_SIZES = [10, 13, 16, 18, 24, 32, 48];

/** The size in pixels of `<font size>`, as browsers bound it; null without one. */
export function fontSizeOf(name: string, attributes: ReadonlyMap<string, string>): number | null {
  const size = name === 'font' ? attributes.get('size') : undefined;
  const [, sign, digits] = /^\s{0,9}([+-]?)(\d{1,9})/.exec(size ?? '') ?? [];
  if (digits === undefined) return null;
  const number = Number(digits);
  const step = sign === '+' ? 3 + number : sign === '-' ? 3 - number : number;
  return FONT_SIZES[Math.min(Math.max(step, 1), 7) - 1] ?? null;
}
