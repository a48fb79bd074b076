import { decodeAttribute } from '@postrider/review';

/** Characters that programs remove from a URL. */
const IGNORED = /[\t\n\r\0]/g;
/** A URL that contains a file (RFC 2397). In prose, a space follows the word `data:`. */
const DATA_URL = /(?<![\w+.-])data:[^\s"'<>]/i;
/** The first line of a file encoded in text, which some mail programs show as an attachment: uuencode, yEnc, BinHex. */
const ENCODED_FILE = /^(?:begin(?:-base64)? [0-7]{3,4} \S|=ybegin |\(This file must be converted with BinHex)/m;

/**
 * Whether the bodies of a message contain a file, which a reader can save like an attachment. Prefers false positives: images embedded in
 * the HTML count, as inline attachments do. Linear in the length; never throws.
 */
export function embedsFiles(html: string | null, text: string | null): boolean {
  return ENCODED_FILE.test(text ?? '') || (html !== null && hasDataUrl(html));
}

function hasDataUrl(html: string): boolean {
  const decoded = decodeAttribute(html);
  return [html, decoded].some((source) => DATA_URL.test(source) || DATA_URL.test(source.replace(IGNORED, '')));
}
