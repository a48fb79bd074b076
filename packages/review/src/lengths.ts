/** What relative lengths refer to, in pixels. */
export interface LengthBase {
  readonly em: number;
  readonly rem: number;
  readonly percent: number;
}

/** The width of an ordinary message. */
const MESSAGE_PX = 600;

const ABSOLUTE: ReadonlyMap<string, number> = new Map(
  Object.entries({ px: 1, pt: 4 / 3, pc: 16, in: 96, cm: 37.8, mm: 3.78 }),
);
/** Parts of the window. */
const WINDOW = /^v(?:w|h|min|max)$/;

const LENGTH = /^([+-]?(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}))([a-z%]{0,5})$/;
/** `calc(100% - 20px)` is ordinary; longer terms are not read. */
const SUM = /^calc\(\s{0,9}([\d.]{1,20}[a-z%]{1,5}) ([+-]) ([\d.]{1,20}[a-z%]{1,5})\s{0,9}\)$/;

/** A length in pixels, roughly. Null for anything else, and for what only some browsers read as a length. */
export function pixelsOf(value: string, base: Partial<LengthBase> = {}): number | null {
  const sum = SUM.exec(value);
  if (sum !== null) {
    const [one, other] = [pixelsOf(sum[1] ?? '', base), pixelsOf(sum[3] ?? '', base)];
    return one === null || other === null ? null : one + (sum[2] === '-' ? -other : other);
  }
  const [, number, unit] = LENGTH.exec(value) ?? [];
  const size = unit === undefined ? null : unitOf(unit, base);
  return number === undefined || size === null ? null : Number(number) * size;
}

function unitOf(unit: string, { em = 16, rem = 16, percent = MESSAGE_PX }: Partial<LengthBase>): number | null {
  if (unit === '') return 1;
  if (unit === 'em') return em;
  if (unit === 'rem') return rem;
  if (unit === 'ex' || unit === 'ch') return em / 2;
  if (unit === '%') return percent / 100;
  return ABSOLUTE.get(unit) ?? (WINDOW.test(unit) ? MESSAGE_PX / 100 : null);
}

/** Whether a number lacks its unit. Browsers read it as pixels, or not at all, depending on the first line of the HTML. */
export function lacksUnit(value: string): boolean {
  return LENGTH.exec(value)?.[2] === '' && Number(value) !== 0;
}
