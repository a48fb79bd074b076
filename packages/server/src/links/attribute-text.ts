import { decodeHTMLAttribute } from 'entities/decode';

/** An attribute's value as it is written, and as it reads. */
export interface AttributeText {
  /** Character references decoded. */
  readonly text: string;
  /** Where the character at `index` of the text stands in what is written; its end for the text's length. */
  rawIndex(index: number): number;
}

/**
 * A character reference, or what looks like one. A named one counts as a whole or not at all, by the character behind it (WHATWG HTML
 * §13.2.5.73).
 */
const REFERENCE = /&(?:#[xX][0-9A-Fa-f]+;?|#[0-9]+;?|[A-Za-z][0-9A-Za-z]*[;=]?)/g;

/** Reads a value so that what is found in its text can be changed where it is written, and every other byte stays. */
export function readAttributeText(raw: string): AttributeText {
  if (!raw.includes('&')) return { text: raw, rawIndex: (index) => index };
  let text = '';
  const rawIndexes: number[] = [];
  const add = (part: string, at: number, isReference: boolean) => {
    for (let i = 0; i < part.length; i++) rawIndexes.push(isReference ? at : at + i);
    text += part;
  };
  let from = 0;
  for (const { 0: reference, index } of raw.matchAll(REFERENCE)) {
    add(raw.slice(from, index), from, false);
    from = index + reference.length;
    const decoded = decodeHTMLAttribute(reference);
    add(decoded, index, decoded !== reference);
  }
  add(raw.slice(from), from, false);
  return { text, rawIndex: (index) => rawIndexes[index] ?? raw.length };
}

/** How a value reads, where nobody asks where its characters stand. */
export function decodeAttribute(raw: string): string {
  return raw.includes('&') ? decodeHTMLAttribute(raw) : raw;
}

/** Makes text stand in an attribute's value, whatever its quotes, even without any. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&"'<>\s]/g, (character) => (character === '&' ? '&amp;' : `&#${character.charCodeAt(0)};`));
}
