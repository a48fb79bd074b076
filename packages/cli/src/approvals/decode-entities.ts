import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

/** References to characters that nobody sees: they would part a word from what it is compared with. */
const UNSEEN = /&(?:shy|zwnj|zwj);?/;

/** Character references of HTML as the characters they stand for. */
export function decodeEntities(text: string): string {
  return decodeParts(text, decodeHTML);
}

/** The same within an attribute, where `&copy=1` is part of a query and no sign (WHATWG HTML, section 13.2.5.73). */
export function decodeAttribute(value: string): string {
  return decodeParts(value, decodeHTMLAttribute);
}

function decodeParts(text: string, decode: (part: string) => string): string {
  return text.split(UNSEEN).map(decode).join('');
}
