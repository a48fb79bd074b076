import { decodeHTML } from 'entities/decode';
import { textHosts } from '../../links/text-hosts.ts';
import type { Host } from '../../links/url-host.ts';

/** The maximum number of characters of one template value: a name, a number, a date. */
const VALUE_CHARACTERS = 100;
/** Control characters including line breaks, and characters that start markup or a link placeholder. */
const NO_VALUE = /[\p{Cc}\u2028\u2029<>]|\{\{/u;
/** The maximum number of nested encodings; a text that is still encoded after these is not plain. */
const DECODINGS = 3;

/** Whether a text is one short line without markup or links. A mail address does not count as a link. */
export function isPlainValue(text: string): boolean {
  return text.length <= VALUE_CHARACTERS && !NO_VALUE.test(text) && !textHosts(text).some(isNoAddress);
}

/** The same check for text in a rendered part, with character references and percent-encoding decoded. */
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

/** Percent-encoded bytes that are not valid UTF-8 are replaced one by one, as lenient programs do. */
function decodeOnce(text: string): string {
  const decoded = decodeHTML(text);
  if (!/%[\da-f]{2}/i.test(decoded)) return decoded;
  return decoded.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}

function isNoAddress(host: Host): boolean {
  return host === null || !host.includes('@');
}
