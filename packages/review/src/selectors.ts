import { unescapeCss } from './style-values.ts';

/** The part of a selector that names the element itself, and what else it depends on. */
export interface Selector {
  /** Empty for any element. */
  readonly name: string;
  readonly classes: readonly string[];
  readonly ids: readonly string[];
  /**
   * `within` depends on outer elements. `tricky` depends on attributes, neighbors or states, which a preview and a mail program may have
   * differently. `never` matches nothing on a page that no one touches.
   */
  readonly depends: 'nothing' | 'within' | 'tricky' | 'never';
  /** The attributes in it, if nothing else makes it tricky; empty otherwise. */
  readonly attributes: readonly string[];
}

/** Of one element, and so of a selector that matches it. */
export const CLASSES_MAX = 50;
const IDENTIFIER = String.raw`(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])+`;
const PART = new RegExp(
  String.raw`\s*([>+~,])\s*|(\s+)|([.#]?)(${IDENTIFIER})|(\*)|(\[)|(::?)(${IDENTIFIER})?|([\s\S])`,
  'y',
);
/** States in which no one sees the message first. */
const STATES = /^(?:hover|link|any-link|visited|active|focus|focus-visible|focus-within)$/i;

/** Reads a list of selectors; each part that is not understood makes its selector tricky. */
export function* readSelectors(list: string): Generator<Selector, void> {
  let reading = new Reading();
  const text = list.trim();
  for (let at = 0; at < text.length; ) {
    PART.lastIndex = at;
    const found = PART.exec(text);
    if (found === null) break;
    at = PART.lastIndex;
    const [, combinator, space, prefix, identifier, any, bracket, colons, pseudo] = found;
    if (combinator === ',') {
      yield reading.result();
      reading = new Reading();
    } else if (combinator !== undefined) reading.combine('tricky');
    else if (space !== undefined) reading.combine('within');
    else if (identifier !== undefined) reading.name(prefix ?? '', unescapeCss(identifier));
    else if (bracket !== undefined) {
      const end = balancedEnd(text, at - 1);
      reading.attribute(/^[^\]=~|^$*\s]*/.exec(text.slice(at, Math.min(end, at + 200)).trim())?.[0] ?? '');
      at = end;
    } else if (colons !== undefined) {
      const hasArguments = text[at] === '(';
      if (hasArguments) at = balancedEnd(text, at);
      reading.pseudo(colons, pseudo ?? '', hasArguments);
    } else if (any === undefined) reading.unknown();
  }
  yield reading.result();
}

class Reading {
  #name = '';
  #classes = new Set<string>();
  #ids = new Set<string>();
  #isWithin = false;
  #isTricky = false;
  #isState = false;
  #isGenerated = false;
  #attributes: string[] = [];

  combine(by: 'within' | 'tricky'): void {
    if (by === 'tricky' || this.#isState || this.#isGenerated) this.#isTricky = true;
    this.#isWithin = true;
    [this.#name, this.#classes, this.#ids, this.#isState, this.#isGenerated] = ['', new Set(), new Set(), false, false];
  }

  name(prefix: string, text: string): void {
    if (prefix === '.') this.#classes.add(text);
    else if (prefix === '#') this.#ids.add(text);
    else this.#name = text.toLowerCase();
  }

  attribute(name: string): void {
    this.#attributes.push(name.toLowerCase());
  }

  pseudo(colons: string, name: string, hasArguments: boolean): void {
    if (!hasArguments && STATES.test(name)) this.#isState = true;
    else if (/^(?:before|after)$/i.test(name) || (colons === '::' && !/^first-l/i.test(name))) this.#isGenerated = true;
    else this.#isTricky = true;
  }

  unknown(): void {
    this.#isTricky = true;
  }

  result(): Selector {
    const attributes = this.#isTricky ? [] : this.#attributes;
    const isTricky = this.#isTricky || this.#attributes.length > 0;
    const depends =
      this.#isGenerated || this.#isImpossible || (this.#isState && !isTricky)
        ? 'never'
        : isTricky
          ? 'tricky'
          : this.#isWithin
            ? 'within'
            : 'nothing';
    return { name: this.#name, classes: [...this.#classes], ids: [...this.#ids], depends, attributes };
  }

  /** Elements have one id, and the classes of one with more are not all read, which is reported. */
  get #isImpossible(): boolean {
    return this.#classes.size > CLASSES_MAX || this.#ids.size > 1;
  }
}

/** The index after brackets with the brackets and strings in them. */
function balancedEnd(text: string, open: number): number {
  const special = /\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"?|'(?:\\[\s\S]|[^'\\])*'?|[()[\]]/g;
  special.lastIndex = open;
  let depth = 0;
  for (let found = special.exec(text); found !== null; found = special.exec(text)) {
    if (found[0] === '(' || found[0] === '[') depth += 1;
    if (found[0] === ')' || found[0] === ']') depth -= 1;
    if (depth === 0) return special.lastIndex;
  }
  return text.length;
}
