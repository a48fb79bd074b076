import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

/** References to invisible characters, which would split a word before it is compared. */
const UNSEEN = /&(?:shy|zwnj|zwj);?/;

/** Decodes the character references of HTML. */
export function decodeEntities(text: string): string {
  return decodeParts(text, decodeHTML);
}

/** The same within an attribute, where `&copy=1` is part of a query and not a reference (WHATWG HTML, section 13.2.5.73). */
export function decodeAttribute(value: string): string {
  return decodeParts(value, decodeHTMLAttribute);
}

function decodeParts(text: string, decode: (part: string) => string): string {
  return text.split(UNSEEN).map(decode).join('');
}
