import { type Html, html } from '../../html/page-markup.ts';

/** Characters that show as nothing or change the order of what follows. Joiners are needed by emoji and by many scripts, except in ASCII. */
const UNSEEN =
  /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0001}-\u{e007f}]|(?<=[ -~])[\u200c\u200d](?=[ -~])/u;

const NAMES: Readonly<Record<string, string>> = {
  '\n': 'line break',
  '\t': 'tab',
  '\u00ad': 'soft hyphen',
  '\u200b': 'zero-width space',
  '\u202d': 'text direction forced',
  '\u202e': 'text direction reversed',
  '\u2066': 'text direction changed',
  '\u2067': 'text direction changed',
  '\u2068': 'text direction changed',
};

/**
 * A text of someone else, such as a subject, an address or a file name, for a page where people decide by it: it cannot change the order of
 * the text around it, and invisible characters are named. `invoice‮fdp.exe` must not read as `invoiceexe.pdf`.
 */
export function revealed(text: string): Html {
  const parts: (string | Html)[] = [];
  for (const part of text.split(SPLIT)) {
    parts.push(UNSEEN.test(part) && part.length <= 2 ? html`<mark class="unseen-mark">${nameOf(part)}</mark>` : part);
  }
  return html`<bdi>${parts}</bdi>`;
}

/** The same parts with the characters in question between them. */
const SPLIT = new RegExp(`(${UNSEEN.source})`, 'u');

function nameOf(character: string): string {
  return NAMES[character] ?? 'invisible character';
}
