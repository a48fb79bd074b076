import { type Html, html } from '../../html/page-markup.ts';

/** Characters that are invisible, end a line, or change the direction of the text around them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f/u;

/** Text of third parties on one line: what cannot be seen in it is shown by its code, so that nothing looks like something else. */
export function foreignText(text: string): Html {
  const pieces: (string | Html)[] = [];
  let plain = '';
  for (const character of text) {
    if (!UNSEEN.test(character)) {
      plain += character;
      continue;
    }
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    pieces.push(plain, html` <span class="odd" title="An invisible character">U+${code}</span> `);
    plain = '';
  }
  return html`<bdi>${[...pieces, plain]}</bdi>`;
}

/** What another server or system said, as a quotation. */
export function quotation(text: string): Html {
  return html`<code class="quoted">${foreignText(text)}</code>`;
}
