import { unescapeCss, unitEnd } from './css-text.ts';

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
  /** Whether browsers can drop it, and with it its whole list. */
  readonly isOdd: boolean;
}

/** Of one element, and so of a selector that matches it. */
export const CLASSES_MAX = 50;
const IDENTIFIER = String.raw`(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])+`;
const PART = new RegExp(
  String.raw`\s*([>+~,])\s*|(\s+)|([.#]?)(${IDENTIFIER})|(\*)|(\[)|(::?)(${IDENTIFIER})?|([\s\S])`,
  'y',
);
/** States in which no one sees the message first. */
const STATES = /^(?:hover|visited|active|focus|focus-visible|focus-within)$/i;
const ATTRIBUTE =
  /^\[\s{0,9}([\w-]{1,60})\s{0,9}(?:[~|^$*]?=\s{0,9}(?:"[^"\\]{0,200}"|'[^'\\]{0,200}'|[a-z_][\w-]{0,60})\s{0,9}i?\s{0,9})?\]$/i;
/** All browsers know them. */
const ORDINARY_PSEUDO =
  /^(?:hover|link|any-link|visited|active|focus|focus-within|target|root|empty|checked|disabled|enabled|(?:first|last|only)-(?:child|of-type)|not|nth-(?:last-)?(?:child|of-type)|lang|before|after|first-line|first-letter|selection|placeholder|-webkit-[a-z-]{1,40})$/i;
const ARGUMENTS = /^(?:\([\w\s.#:=[\]"'+-]{1,100}\))?$/;
/** True for each link. */
const LINKS = /^(?:link|any-link)$/i;
/** What is added to an element, or is only a part of its text that was selected. */
const GENERATED =
  /^(?:before|after|marker|selection|placeholder|backdrop|-moz-selection|-moz-focus-inner|-webkit-(?:details-marker|scrollbar(?:-[a-z]{1,20})?|input-placeholder|inner-spin-button|outer-spin-button|search-decoration|file-upload-button))$/i;

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
      const end = unitEnd(text, at - 1);
      reading.attribute(text.slice(at - 1, Math.min(end, at + 200)));
      at = end;
    } else if (colons !== undefined) {
      const hasArguments = text[at] === '(';
      const end = hasArguments ? unitEnd(text, at) : at;
      reading.pseudo(colons, pseudo ?? '', text.slice(at, Math.min(end, at + 200)));
      at = end;
    } else if (any === undefined) reading.unknown();
    else reading.any();
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
  #isOdd = false;
  #isEmpty = true;

  combine(by: 'within' | 'tricky'): void {
    if (this.#isEmpty) this.#isOdd = true;
    this.#isEmpty = true;
    if (by === 'tricky' || this.#isState || this.#isGenerated) this.#isTricky = true;
    this.#isWithin = true;
    [this.#name, this.#classes, this.#ids, this.#isState, this.#isGenerated] = ['', new Set(), new Set(), false, false];
  }

  any(): void {
    this.#isEmpty = false;
  }

  name(prefix: string, text: string): void {
    this.#isEmpty = false;
    if (/^-?\d/.test(text)) this.#isOdd = true;
    if (prefix === '.') this.#classes.add(text);
    else if (prefix === '#') this.#ids.add(text);
    else this.#name = text.toLowerCase();
  }

  /** @param text with its brackets */
  attribute(text: string): void {
    this.#isEmpty = false;
    const [, name] = ATTRIBUTE.exec(text) ?? [];
    if (name === undefined) this.unknown();
    else this.#attributes.push(name.toLowerCase());
  }

  /** @param given its arguments with their brackets */
  pseudo(colons: string, name: string, given: string): void {
    this.#isEmpty = false;
    if (!ORDINARY_PSEUDO.test(name) || !ARGUMENTS.test(given)) this.#isOdd = true;
    const hasArguments = given !== '';
    if (!hasArguments && STATES.test(name)) this.#isState = true;
    else if (!hasArguments && LINKS.test(name)) this.#name ||= 'a';
    else if (/^(?:before|after)$/i.test(name) || (colons === '::' && GENERATED.test(name))) this.#isGenerated = true;
    else this.#isTricky = true;
  }

  unknown(): void {
    this.#isEmpty = false;
    this.#isOdd = true;
    this.#isTricky = true;
  }

  result(): Selector {
    if (this.#isEmpty) this.#isOdd = true;
    const attributes = this.#isTricky ? [] : this.#attributes;
    const isTricky = this.#isTricky || this.#attributes.length > 0;
    const depends =
      this.#isEmpty || this.#isGenerated || this.#isImpossible || (this.#isState && !isTricky)
        ? 'never'
        : isTricky
          ? 'tricky'
          : this.#isWithin
            ? 'within'
            : 'nothing';
    return {
      name: this.#name,
      classes: [...this.#classes],
      ids: [...this.#ids],
      depends,
      attributes,
      isOdd: this.#isOdd,
    };
  }

  /** Elements have one id, and the classes of one with more are not all read, which is reported. */
  get #isImpossible(): boolean {
    return this.#classes.size > CLASSES_MAX || this.#ids.size > 1;
  }
}
