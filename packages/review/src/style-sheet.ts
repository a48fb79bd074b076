import { decodeAttribute } from './character-references.ts';
import type { CssRule } from './css-rules.ts';
import { CLASSES_MAX, readSelectors, type Selector } from './selectors.ts';
import { readStyle, type Style } from './style-values.ts';

/** Why a rule may apply for one reader and not for another; the strongest last. */
export const DOUBTS = ['media', 'within', 'tricky'] as const;
export type Doubt = (typeof DOUBTS)[number];

/** A rule that may or may not apply to an element. */
export interface DoubtfulRule {
  readonly doubt: Doubt;
  readonly style: Style;
}

export interface ElementRules {
  /** The weakest first. */
  readonly plain: readonly Style[];
  readonly doubtful: readonly DoubtfulRule[];
}

/** The rules of a message for an element. */
export interface StyleSheet {
  /** The same object for elements with the same name, classes and id, as long as there are few of them. */
  rulesOf(name: string, attributes: ReadonlyMap<string, string>): ElementRules;
  /** Whether a limit left out rules. */
  readonly isCut: boolean;
}

interface Rule extends Selector {
  readonly doubt: Doubt | null;
  readonly style: Style;
  readonly order: number;
}

const RULES_MAX = 5_000;
/** Of all rules, repeated ones too. */
const SELECTORS_MAX = 20_000;
/** How many parts of rules are compared with elements. */
const COMPARED_MAX = 2_000_000;
const DOUBTFUL_MAX = 20;
/** Kinds of elements whose rules are remembered. */
const KNOWN_MAX = 5_000;
const NO_RULES: ElementRules = { plain: [], doubtful: [] };

/** Attributes that mail programs add, and what a rule for them depends on if the message itself does not have them. */
const ADDED: ReadonlyMap<string, Doubt | null> = new Map([
  ['x-apple-data-detectors', null],
  ['data-ogsc', 'media'],
  ['data-ogsb', 'media'],
]);

export function isAddedByPrograms(attribute: string): boolean {
  return ADDED.has(attribute);
}

/** @param own attributes that programs add and that the message has itself */
export function readStyleSheet(given: readonly CssRule[], own: ReadonlySet<string>): StyleSheet {
  const { rules, isCut } = readRules(given, own);
  return new RuleIndex(rules, isCut);
}

function readRules(given: readonly CssRule[], own: ReadonlySet<string>) {
  const rules: Rule[] = [];
  let count = 0;
  for (const { selectors, declarations, applies } of given) {
    if (applies === 'keyframes' || applies === 'font' || applies === 'import' || applies === 'unread') continue;
    const style = readStyle(declarations);
    if (style.normal.size === 0 && style.important.size === 0) continue;
    const list: Selector[] = [];
    for (const selector of readSelectors(selectors)) {
      list.push(selector);
      if (list.length > SELECTORS_MAX) break;
    }
    const isOdd = list.some((selector) => selector.isOdd);
    for (const selector of list) {
      count += 1;
      const doubt = doubtOf(selector, applies, own, isOdd);
      if (doubt === undefined) continue;
      if (rules.length >= RULES_MAX || count > SELECTORS_MAX) return { rules, isCut: true };
      rules.push({ ...selector, doubt, style, order: rules.length });
    }
  }
  return { rules, isCut: false };
}

/** Undefined for a rule that changes nothing of what readers see first. */
function doubtOf(
  { depends, attributes }: Selector,
  applies: 'screen' | 'media' | 'nested',
  own: ReadonlySet<string>,
  isOdd: boolean,
): Doubt | null | undefined {
  if (depends === 'never') return undefined;
  if (applies === 'nested') return 'tricky';
  const isAdded = attributes.length > 0 && attributes.every((one) => ADDED.has(one) && !own.has(one));
  if (isAdded) return attributes.some((one) => ADDED.get(one) === null) ? undefined : 'media';
  if (depends === 'tricky' || isOdd) return 'tricky';
  if (applies === 'media') return 'media';
  return depends === 'within' ? 'within' : null;
}

class RuleIndex implements StyleSheet {
  readonly #byPart = new Map<string, Rule[]>();
  readonly #known = new Map<string, ElementRules>();
  #isCut: boolean;
  #compared = 0;

  constructor(rules: readonly Rule[], isCut: boolean) {
    this.#isCut = isCut;
    for (const rule of rules) {
      const [id] = rule.ids;
      const [className] = rule.classes;
      const part = id !== undefined ? `#${id}` : className !== undefined ? `.${className}` : rule.name;
      const same = this.#byPart.get(part);
      if (same === undefined) this.#byPart.set(part, [rule]);
      else same.push(rule);
    }
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  rulesOf(name: string, attributes: ReadonlyMap<string, string>): ElementRules {
    if (this.#byPart.size === 0) return NO_RULES;
    const [given, id] = [attributes.get('class') ?? '', attributes.get('id') ?? ''];
    const key = `${name} ${JSON.stringify([given, id])}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = this.#find(name, given, decodeAttribute(id));
    if (this.#known.size < KNOWN_MAX) this.#known.set(key, found);
    return found;
  }

  #find(name: string, classList: string, id: string): ElementRules {
    const all = decodeAttribute(classList)
      .split(/\s+/)
      .filter((one) => one !== '');
    const classes = new Set(all.slice(0, CLASSES_MAX));
    if (all.length > CLASSES_MAX) this.#isCut = true;
    const parts = ['', name, ...[...classes].map((one) => `.${one}`), ...(id === '' ? [] : [`#${id}`])];
    const found: Rule[] = [];
    for (const part of parts) {
      const rules = this.#byPart.get(part);
      if (rules === undefined) continue;
      for (const rule of rules) {
        this.#compared += 1 + rule.classes.length;
        if (this.#compared > COMPARED_MAX) break;
        if (matches(rule, name, classes, id)) found.push(rule);
      }
    }
    if (this.#compared > COMPARED_MAX) this.#isCut = true;
    if (found.length === 0) return NO_RULES;
    const doubtful = found.flatMap(({ doubt, style }) => (doubt === null ? [] : [{ doubt, style }]));
    if (doubtful.length > DOUBTFUL_MAX) this.#isCut = true;
    const plain = found.filter(({ doubt }) => doubt === null).sort(bySpecificity);
    return { plain: plain.map(({ style }) => style), doubtful: doubtful.slice(0, DOUBTFUL_MAX) };
  }
}

function matches(rule: Rule, name: string, classes: ReadonlySet<string>, id: string): boolean {
  return (
    (rule.name === '' || rule.name === name) &&
    rule.classes.every((one) => classes.has(one)) &&
    rule.ids.every((one) => one === id)
  );
}

function bySpecificity(one: Rule, other: Rule): number {
  return specificityOf(one) - specificityOf(other) || one.order - other.order;
}

function specificityOf({ ids, classes, name }: Rule): number {
  return ids.length * 10_000 + classes.length * 100 + (name === '' ? 0 : 1);
}
