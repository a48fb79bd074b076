import { decodeHTML } from 'entities/decode';
import { textHosts } from '../../links/text-hosts.ts';
import type { Host } from '../../links/url-host.ts';

/** Characters of one value of a template: a name, a number, a date. */
const VALUE_CHARACTERS = 100;
/** Control characters, a line break among them, and the marks that begin markup or a place for a link. */
const NO_VALUE = /[\p{Cc}\u2028\u2029<>]|\{\{/u;
/** Encodings within each other; what is not plain after so many is no value. */
const DECODINGS = 3;

/** Whether a text is short, one line, and without markup and links; a mail address is no link here. */
export function isPlainValue(text: string): boolean {
  return text.length <= VALUE_CHARACTERS && !NO_VALUE.test(text) && !textHosts(text).some(isNoAddress);
}

/** The same of a text in a rendered part, with its character references and percent-encoding decoded. */
export function isPlainPrinted(printed: string): boolean {
  let text = decodeHTML(printed);
  for (let round = 0; round < DECODINGS; round += 1) {
    if (!isPlainValue(text)) return false;
    const decoded = decodeOnce(text);
    if (decoded === text) return true;
    text = decoded;
  }
  return false;
}

/** Percent-encoded bytes that are no UTF-8 are left out one by one, as programs that guess would. */
function decodeOnce(text: string): string {
  const decoded = decodeHTML(text);
  if (!/%[\da-f]{2}/i.test(decoded)) return decoded;
  return decoded.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}

function isNoAddress(host: Host): boolean {
  return host === null || !host.includes('@');
}
