import { type Html, html } from '../../html/page-markup.ts';

/** What a joiner may join: emoji, and letters of scripts that need it. */
const JOINED = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]|(?![\u034f\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}]`;

/** Characters that show as nothing or change the order of what follows. They are split off, because of the group. */
const UNSEEN = new RegExp(
  String.raw`([\p{Cc}\u00ad\u034f\u061c\u115f\u1160\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\uffa0\u{e0001}-\u{e007f}]|(?<!${JOINED})[\u200c\u200d]|[\u200c\u200d](?!${JOINED}))`,
  'u',
);

const NAMES: Readonly<Record<string, string>> = {
  '\n': 'line break',
  '\t': 'tab',
  '\u00ad': 'soft hyphen',
  '\u034f': 'invisible joiner',
  '\u200b': 'zero-width space',
  '\u200c': 'zero-width non-joiner',
  '\u200d': 'zero-width joiner',
  '\u3164': 'invisible letter',
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
  const parts = text
    .split(UNSEEN)
    .map((part, index) => (index % 2 === 1 ? html` <mark class="unseen-mark">${nameOf(part)}</mark> ` : part));
  return html`<bdi>${parts}</bdi>`;
}

function nameOf(character: string): string {
  return NAMES[character] ?? 'invisible character';
}
