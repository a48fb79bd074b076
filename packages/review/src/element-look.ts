import { ORDINARY_LOOK, type TextLook, whatHides, whatIsUnclear, whatIsUnclearAlone } from './look-of-text.ts';
import { lookWithin, type StyledElement } from './look-within.ts';
import { DOUBTS, type Doubt, type DoubtfulRule, type ElementRules } from './style-sheet.ts';
import type { Declarations, Style } from './style-values.ts';

/** How the text of an element shows, and whether rules may change that for some readers. */
export interface ElementLook {
  readonly text: TextLook;
  /** The look if all rules in doubt apply. */
  readonly changed: TextLook;
  /** Why the text may be hidden for some readers and shown to others; null if it is the same for all. */
  readonly doubt: Doubt | null;
  /** What can hide the text and cannot be judged, for all readers or some. */
  readonly unclear: readonly string[];
  /** Whether the element itself lies over the message. */
  readonly covers: boolean;
}

export const ROOT_LOOK: ElementLook = {
  ...{ text: ORDINARY_LOOK, changed: ORDINARY_LOOK, doubt: null, unclear: [], covers: false },
};

export function lookOfElement(
  outer: ElementLook,
  element: StyledElement,
  { plain, doubtful }: ElementRules,
  inline: Style | null,
): ElementLook {
  const { text, covers } = lookWithin(outer.text, element, cascade(plain, [], inline));
  if (doubtful.length === 0 && outer.changed === outer.text)
    return { text, changed: text, doubt: outer.doubt, unclear: whatIsUnclear(text), covers };
  const all = lookWithin(outer.changed, element, cascade(plain, doubtful, inline));
  const unclear = new Set([...whatIsUnclear(text), ...whatIsUnclear(all.text)]);
  const alone = new Set(all.text.unclear);
  const isShown = whatHides(text) === null;
  let doubt = outer.doubt;
  for (const rule of doubtful) {
    const look = lookWithin(outer.text, element, cascade(plain, [rule], inline)).text;
    for (const property of whatIsUnclearAlone(look)) alone.add(property);
    // Dark modes change the colors of the text and of what is behind it together.
    const hides = rule.doubt === 'media' ? isHiddenByShape : (one: TextLook) => whatHides(one) !== null;
    if (hides(look) !== hides(text)) doubt = stronger(doubt, isShown || rule.doubt === 'media' ? rule.doubt : 'tricky');
  }
  const changed = alone.size > all.text.unclear.length ? { ...all.text, unclear: [...alone] } : all.text;
  if ((whatHides(changed) === null) !== isShown) doubt = stronger(doubt, strongestOf(doubtful));
  return { text, changed, doubt, unclear: [...unclear, ...alone], covers: covers || all.covers };
}

function isHiddenByShape(look: TextLook): boolean {
  return whatHides({ ...look, color: null, fill: undefined }) !== null;
}

/** All declarations by their strength, the last of a property last. Rules in doubt win over plain ones, and lose against inline styles. */
function cascade(plain: readonly Style[], doubtful: readonly DoubtfulRule[], inline: Style | null): Declarations {
  const styles = [...plain, ...doubtful.map(({ style }) => style), ...(inline === null ? [] : [inline])];
  const [only] = styles;
  if (only === undefined) return NO_DECLARATIONS;
  if (styles.length === 1 && only.important.size === 0) return only.normal;
  const merged = new Map<string, string>();
  for (const declarations of [...styles.map(({ normal }) => normal), ...styles.map(({ important }) => important)]) {
    for (const [property, value] of declarations) {
      merged.delete(property);
      merged.set(property, value);
    }
  }
  return merged;
}

const NO_DECLARATIONS: Declarations = new Map();

function stronger(one: Doubt | null, other: Doubt | null): Doubt | null {
  return rank(one) >= rank(other) ? one : other;
}

function rank(doubt: Doubt | null): number {
  return doubt === null ? -1 : DOUBTS.indexOf(doubt);
}

function strongestOf(rules: readonly DoubtfulRule[]): Doubt | null {
  return rules.reduce<Doubt | null>((found, { doubt }) => stronger(found, doubt), null);
}
