import { decodeAttribute } from '../../links/attribute-text.ts';

/** What programs leave out of a URL. */
const IGNORED = /[\t\n\r\0]/g;
/** A URL that is the file itself (RFC 2397). In prose a blank follows the word. */
const DATA_URL = /(?<![\w+.-])data:[^\s"'<>]/i;
/** The first line of a file in a text, which some mail programs show as an attachment: uuencode, yEnc, BinHex. */
const ENCODED_FILE = /^(?:begin(?:-base64)? [0-7]{3,4} \S|=ybegin |\(This file must be converted with BinHex)/m;

/**
 * Whether a file is in the bodies of a message themselves: a reader can save it as one that is attached. Finds too much rather than too little:
 * images that are part of the HTML count, as inline files do. Linear in the length, never throws.
 */
export function embedsFiles(html: string | null, text: string | null): boolean {
  return ENCODED_FILE.test(text ?? '') || (html !== null && hasDataUrl(html));
}

function hasDataUrl(html: string): boolean {
  const decoded = decodeAttribute(html);
  return [html, decoded].some((source) => DATA_URL.test(source) || DATA_URL.test(source.replace(IGNORED, '')));
}
