/** Characters that end a line, are not visible, or change the direction of what follows. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/** What mail programs make links of: dots within words (also those that IDNA reads as dots), schemes, addresses, paths of shares. */
const LINKED = /[.\u3002\uff0e\uff61:@](?=\S)|\/\/|\\\\/gu;

/**
 * Text that a sender chose, for a mail that has a link of ours beside it: on one line, and with nothing in it that a mail program shows as a link.
 * `https://evil.example` becomes `https[:][//]evil[.]example`.
 */
export function breakLinks(text: string): string {
  return text
    .replace(UNSHOWN, ' ')
    .replace(LINKED, (found) => `[${found}]`)
    .trim();
}
