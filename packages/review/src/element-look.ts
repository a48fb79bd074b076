import { lookWithin, ORDINARY_LOOK, type TextLook, whatHides } from './look-of-text.ts';
import { DOUBTS, type Doubt, type DoubtfulRule, type ElementRules } from './style-sheet.ts';
import { type Declarations, pixelsOf } from './style-values.ts';

/** How the text of an element shows, and whether rules may change that for some readers. */
export interface ElementLook {
  readonly text: TextLook;
  /** The look if all rules in doubt apply. */
  readonly changed: TextLook;
  /** Why the text may be hidden for some readers and shown to others; null if it is the same for all. */
  readonly doubt: Doubt | null;
  /** Whether the element itself lies over the message. */
  readonly covers: boolean;
}

export const ROOT_LOOK: ElementLook = { text: ORDINARY_LOOK, changed: ORDINARY_LOOK, doubt: null, covers: false };

export function lookOfElement(
  outer: ElementLook,
  attributes: ReadonlyMap<string, string>,
  { plain, doubtful }: ElementRules,
  inline: Declarations | null,
): ElementLook {
  const styles = inline === null ? plain : [...plain, inline];
  const text = lookWithin(outer.text, attributes, styles);
  const covers = coversMessage(mergeAll(styles, doubtful, inline));
  if (doubtful.length === 0 && outer.changed === outer.text) return { text, changed: text, doubt: outer.doubt, covers };
  const base = new Map(styles.flatMap((style) => [...style]));
  const changed = lookWithin(outer.changed, attributes, [mergeAll(styles, doubtful, inline)]);
  const plainLook = lookWithin(outer.text, attributes, [base]);
  const isShown = whatHides(plainLook) === null;
  let doubt = outer.doubt;
  for (const rule of doubtful) {
    const look = lookWithin(outer.text, attributes, [mergeAll([base], [rule], inline)]);
    // Dark modes change the colors of the text and of what is behind it together.
    const hides = rule.doubt === 'media' ? isHiddenByShape : (one: TextLook) => whatHides(one) !== null;
    if (hides(look) !== hides(plainLook))
      doubt = stronger(doubt, isShown || rule.doubt === 'media' ? rule.doubt : 'tricky');
  }
  if ((whatHides(changed) === null) !== isShown) doubt = stronger(doubt, strongestOf(doubtful));
  return { text, changed, doubt, covers };
}

function isHiddenByShape({ hiddenBy, invisible, tiny }: TextLook): boolean {
  return hiddenBy !== null || invisible || tiny;
}

/** Of two declarations the last counts, and a rule in doubt, except that inline styles win over rules that are not important. */
function mergeAll(styles: readonly Declarations[], doubtful: readonly DoubtfulRule[], inline: Declarations | null) {
  const merged = new Map(styles.flatMap((style) => [...style]));
  for (const { declarations, important } of doubtful) {
    for (const [property, value] of declarations)
      if (inline?.has(property) !== true || important.has(property)) merged.set(property, value);
  }
  return merged;
}

function stronger(one: Doubt | null, other: Doubt | null): Doubt | null {
  return rank(one) >= rank(other) ? one : other;
}

function rank(doubt: Doubt | null): number {
  return doubt === null ? -1 : DOUBTS.indexOf(doubt);
}

function strongestOf(rules: readonly DoubtfulRule[]): Doubt | null {
  return rules.reduce<Doubt | null>((found, { doubt }) => stronger(found, doubt), null);
}

/** Smaller elements cover a part. */
const LARGE_PX = 400;

function coversMessage(style: Declarations): boolean {
  if (!/absolute|fixed/.test(style.get('position') ?? '') || style.get('display') === 'none') return false;
  const isLarge = (names: readonly string[]) =>
    names.some((name) => {
      const value = style.get(name) ?? '';
      const part = /^(\d{1,9}(?:\.\d{1,9})?)(?:%|v[wh]|vmax|vmin|[sld]v[wh])$/.exec(value)?.[1];
      return part === undefined
        ? (pixelsOf(value) ?? (/calc|max|stretch/.test(value) ? LARGE_PX : 0)) >= LARGE_PX
        : Number(part) >= 50;
    });
  const inset = style.get('inset') ?? '';
  const reaches = (one: string, other: string) =>
    inset !== '' && !/auto/.test(inset) ? true : style.has(one) && style.has(other);
  const isWide = isLarge(['width', 'min-width']) || reaches('left', 'right');
  const isHigh = isLarge(['height', 'min-height']) || reaches('top', 'bottom');
  return isWide && isHigh;
}
