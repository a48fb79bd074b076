import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

/** Decodes the character references of text. */
export function decodeText(text: string): string {
  return text.includes('&') ? decodeHTML(text) : text;
}

/** The same within an attribute, where `&copy=1` is part of a query and not a reference (WHATWG HTML, section 13.2.5.73). */
export function decodeAttribute(raw: string): string {
  return raw.includes('&') ? decodeHTMLAttribute(raw) : raw;
}
