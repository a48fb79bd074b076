import { type Html, html } from '../../html/page-markup.ts';

/** A page stays small, whatever the size of a message. */
const SHOWN_CHARACTERS = 65_536;

/**
 * A long text as it is, of which a page shows the beginning.
 * @param downloadHref where the whole text can be downloaded
 */
export function sourceText(text: string, downloadHref: string): Html {
  const isCut = text.length > SHOWN_CHARACTERS;
  return html`<pre tabindex="0">
${isCut ? text.slice(0, SHOWN_CHARACTERS) : text}</pre><div class="actions"><a class="button small" href="${downloadHref}" download>Download</a>${isCut ? html`<span class="small soft">This is the beginning of the text; the download has all of it.</span>` : null}</div>`;
}
