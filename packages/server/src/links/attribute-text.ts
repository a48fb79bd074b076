import { decodeHTMLAttribute } from 'entities/decode';

/** An attribute's value, both raw and decoded. */
export interface AttributeText {
  /** Character references decoded. */
  readonly text: string;
  /** The position in the raw value of the character at `index` of the text; the raw end for the text's length. */
  rawIndex(index: number): number;
}

/**
 * A character reference, or text that looks like one. The character after a named reference decides whether it counts
 * (WHATWG HTML §13.2.5.73).
 */
const REFERENCE = /&(?:#[xX][0-9A-Fa-f]+;?|#[0-9]+;?|[A-Za-z][0-9A-Za-z]*[;=]?)/g;

/** Decodes a value with a position map, so that text found in it can be changed in the raw value without changing other bytes. */
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

/** Escapes text for an attribute's value, with any quotes or none. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&"'<>\s]/g, (character) => (character === '&' ? '&amp;' : `&#${character.charCodeAt(0)};`));
}
