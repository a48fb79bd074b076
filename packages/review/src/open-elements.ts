import { decodeAttribute } from './character-references.ts';
import { type ElementLook, lookOfElement, ROOT_LOOK } from './element-look.ts';
import type { StyledElement } from './look-within.ts';
import type { ElementRules, StyleSheet } from './style-sheet.ts';
import { readStyle } from './style-values.ts';

/**
 * How much may be computed: about a microsecond each. Elements of one kind in the same place are computed once, so ordinary mail needs a
 * hundredth of it.
 */
const WORK_MAX = 400_000;
/** A rule in doubt is tried alone and together with the others. */
const DOUBTFUL_WORK = 8;
const KNOWN_MAX = 20_000;
const NO_RULES: ElementRules = { plain: [], doubtful: [] };

/** Elements without content. */
const VOID = new Set('area base br col colgroup embed hr img input link meta param source track wbr'.split(' '));
/** They end only by their own end tag or that of an outer element like them (WHATWG HTML, "special"). */
const SPECIAL = new Set(
  (
    'address article aside blockquote body button caption center dd details dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'header hgroup html li main menu nav object ol p pre section summary table tbody td template tfoot th thead tr ul'
  ).split(' '),
);
const BOUNDARIES = new Set('button caption object table td template th'.split(' '));
const TABLE_PARTS = new Set('table tbody td tfoot th thead tr caption'.split(' '));

type Group = 'p' | 'li' | 'dd' | 'cell' | 'row' | 'rows';
const GROUPS: ReadonlyMap<string, Group> = new Map([
  ...([
    ['p', 'p'],
    ['li', 'li'],
    ['dd', 'dd'],
    ['dt', 'dd'],
    ['td', 'cell'],
    ['th', 'cell'],
    ['tr', 'row'],
  ] as const),
  ...([
    ['tbody', 'rows'],
    ['thead', 'rows'],
    ['tfoot', 'rows'],
  ] as const),
]);
const INLINE_GROUPS = new Set([
  'td',
  'th',
  'tr',
  'tbody',
  'thead',
  'tfoot',
  'caption',
  'body',
  'html',
  'button',
  'object',
  'template',
]);
/** The start of these elements begins a new group, so that an inner list does not end an outer item. */
const RESETS: ReadonlyMap<string, readonly Group[]> = new Map(
  Object.entries({
    ...{ ul: ['li'], ol: ['li'], menu: ['li'], dir: ['li'], dl: ['dd'] },
    ...{ table: ['p', 'cell', 'row', 'rows', 'li', 'dd'] },
    ...{ td: ['p'], th: ['p'], caption: ['p'], button: ['p'], object: ['p'], template: ['p'] },
  } satisfies Readonly<Record<string, readonly Group[]>>),
);

interface Frame {
  readonly name: string;
  readonly look: ElementLook;
  /** The frames that the start of a similar element ends; -1 for none. */
  readonly groups: Readonly<Record<Group, number>>;
  /** The innermost frame of its kind, at or below this one; -1 for none. */
  readonly special: number;
  readonly boundary: number;
  /** Whether its first `summary` was read. */
  hasSummary: boolean;
}

const ROOT: Frame = {
  ...{ name: '', look: ROOT_LOOK, special: -1, boundary: -1, hasSummary: false },
  groups: { p: -1, li: -1, dd: -1, cell: -1, row: -1, rows: -1 },
};

/**
 * The open elements with the look of their text. It follows the rules of browsers for missing and misplaced end tags where those decide what is
 * hidden. Every element is opened and closed once, so the time is linear.
 */
export class OpenElements {
  readonly #sheet: StyleSheet;
  readonly #frames: Frame[] = [ROOT];
  /** The looks of elements by that of the outer one, their rules, and their own attributes. */
  readonly #known = new WeakMap<ElementLook, WeakMap<ElementRules, Map<string, ElementLook>>>();
  #knownCount = 0;
  #work = 0;
  #isCovered = false;
  #hidesColumn = false;
  /** The frames of each name, the innermost last. */
  readonly #byName = new Map<string, number[]>();

  constructor(sheet: StyleSheet) {
    this.#sheet = sheet;
  }

  get look(): ElementLook {
    return this.#top.look;
  }

  /** Whether an element lies over the message. */
  get isCovered(): boolean {
    return this.#isCovered;
  }

  /** Whether a column of a table can hide its cells. */
  get hidesColumn(): boolean {
    return this.#hidesColumn;
  }

  /** Whether the rules of some elements were left out. */
  get isCut(): boolean {
    return this.#work > WORK_MAX;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    for (const group of endedBy(name)) {
      const at = this.#top.groups[group];
      if (at >= 0) this.#popTo(at);
    }
    if (name === 'img' || name === 'col' || name === 'colgroup') this.#readBox(name, attributes);
    if (VOID.has(name)) return;
    const outer = this.#top;
    const at = this.#frames.length;
    const group = GROUPS.get(name);
    const isSummary = name === 'summary' && outer.name === 'details' && !outer.hasSummary;
    if (isSummary) outer.hasSummary = true;
    const resets = Object.fromEntries((RESETS.get(name) ?? []).map((reset) => [reset, -1]));
    this.#frames.push({
      ...{ name, look: this.#lookOf({ name, attributes, isSummary }), hasSummary: false },
      groups:
        group === undefined && !RESETS.has(name)
          ? outer.groups
          : { ...outer.groups, ...resets, ...(group ? { [group]: at } : {}) },
      special: SPECIAL.has(name) ? at : outer.special,
      boundary: BOUNDARIES.has(name) ? at : outer.boundary,
    });
    if (this.look.covers) this.#isCovered = true;
    const same = this.#byName.get(name);
    if (same === undefined) this.#byName.set(name, [at]);
    else same.push(at);
  }

  /** Ignores an end tag that browsers ignore: of no open element, or of one outside the element that it would have to leave open. */
  close(name: string): void {
    const at = this.#byName.get(name)?.at(-1);
    if (at === undefined) return;
    const { special, boundary } = this.#top;
    const isBlocked = SPECIAL.has(name) ? boundary > at && !TABLE_PARTS.has(name) : special > at;
    if (!isBlocked) this.#popTo(at);
  }

  get #top(): Frame {
    return this.#frames.at(-1) ?? ROOT;
  }

  /** Pictures can cover text, and columns can hide the cells in them. */
  #readBox(name: string, attributes: ReadonlyMap<string, string>): void {
    const { text, unclear, covers } = this.#lookOf({ name, attributes, isSummary: false });
    if (name === 'img') this.#isCovered ||= covers;
    else this.#hidesColumn ||= text.invisible || unclear.length > this.look.unclear.length;
  }

  #lookOf(element: StyledElement): ElementLook {
    const { name, attributes } = element;
    const outer = this.look;
    const rules = this.#sheet.rulesOf(name, attributes);
    const style = attributes.get('style');
    const isPlain = style === undefined && rules.plain.length === 0 && rules.doubtful.length === 0;
    if (isPlain && attributes.size === 0 && PLAIN.has(name) && outer.text.closed !== 'below')
      return outer.covers ? { ...outer, covers: false } : outer;
    const key = JSON.stringify([
      name,
      element.isSummary,
      ...LOOK_ATTRIBUTES.map((one) => attributes.get(one)),
      ...PRESENT_ATTRIBUTES.map((one) => attributes.has(one)),
    ]);
    const known = this.#known.get(outer)?.get(rules)?.get(key);
    if (known !== undefined) return known;
    this.#work += 1 + rules.plain.length + DOUBTFUL_WORK * rules.doubtful.length;
    const own = style === undefined ? null : readStyle(decodeAttribute(style));
    const look = lookOfElement(outer, element, this.isCut ? NO_RULES : rules, own);
    this.#remember(outer, rules, key, look);
    return look;
  }

  #remember(outer: ElementLook, rules: ElementRules, key: string, look: ElementLook): void {
    if (this.#knownCount >= KNOWN_MAX) return;
    this.#knownCount += 1;
    const byRules = this.#known.get(outer) ?? new WeakMap<ElementRules, Map<string, ElementLook>>();
    const byKey = byRules.get(rules) ?? new Map<string, ElementLook>();
    this.#known.set(outer, byRules.set(rules, byKey.set(key, look)));
  }

  #popTo(at: number): void {
    while (this.#frames.length > at) {
      const frame = this.#frames.pop();
      if (frame !== undefined) this.#byName.get(frame.name)?.pop();
    }
  }
}

/** The attributes that change the look of an element; its rules depend on the others. */
const LOOK_ATTRIBUTES = ['style', 'color', 'text', 'link', 'bgcolor', 'background', 'width', 'size', 'dir'];
const PRESENT_ATTRIBUTES = ['hidden', 'popover', 'open', 'href', 'name'];
/** The look of their text is that of the element around them. */
const PLAIN = new Set(
  'b br center div em font h1 h2 h3 h4 h5 h6 i li ol p span strong table tbody td th tr u ul'.split(' '),
);

function endedBy(name: string): readonly Group[] {
  const own = GROUPS.get(name);
  const groups: Group[] = SPECIAL.has(name) && !INLINE_GROUPS.has(name) ? ['p'] : [];
  if (own !== undefined && own !== 'p') groups.push(own);
  if (name === 'tr') groups.push('row');
  if (own === 'rows') groups.push('row');
  return groups;
}
