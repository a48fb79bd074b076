/**
 * Makes sender text safe for a mail that also contains our link: puts it on one line and breaks everything a mail program shows as a link.
 * `https://evil.example` becomes `https[:][//]evil[.]example`.
 */
export function breakLinks(text: string): string {
  return toOneLine(text)
    .replace(LINKED, (found) => `[${found}]`)
    .trim();
}

/**
 * The same for HTML, where it should stay readable: a word joiner, which is invisible, on both sides of everything that makes a link. Unlike a
 * zero-width non-joiner, a word joiner is never part of a word, so no pattern for links matches across it.
 */
export function joinLinks(text: string): string {
  return toOneLine(text)
    .replace(LINKED, (found) => `\u2060${found}\u2060`)
    .trim();
}

/** The lines of a text, for a quotation. A run of blank lines becomes one, so that a text cannot look like the end of the mail. */
export function toLines(text: string): readonly string[] {
  const lines: string[] = [];
  for (const line of text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u)) {
    const shown = toOneLine(line).trimEnd();
    if (shown !== '' || (lines.length > 0 && lines.at(-1) !== '')) lines.push(shown);
  }
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Characters that end a line, are invisible, or change the direction of the following text. */
const UNSHOWN = /(?:[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2065\u3164\uffa0]|\u034f)+/gu;

/**
 * What mail programs turn into links: dots within words (also those that IDNA reads as dots), schemes, addresses, paths of network shares.
 */
const LINKED = /[.\u3002\uff0e\uff61:@](?=\S)|\/\/|\\\\/gu;

function toOneLine(text: string): string {
  return text.toWellFormed().replace(UNSHOWN, ' ');
}
