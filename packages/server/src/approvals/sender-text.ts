/** Characters that end a line, are invisible, or change the direction of the following text. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/**
 * What mail programs turn into links: dots within words (also those that IDNA reads as dots), schemes, addresses, paths of network shares.
 */
const LINKED = /[.\u3002\uff0e\uff61:@](?=\S)|\/\/|\\\\/gu;

/**
 * Makes sender text safe for a mail that also contains our link: puts it on one line and breaks everything a mail program shows as a link.
 * `https://evil.example` becomes `https[:][//]evil[.]example`.
 */
export function breakLinks(text: string): string {
  return text
    .replace(UNSHOWN, ' ')
    .replace(LINKED, (found) => `[${found}]`)
    .trim();
}
