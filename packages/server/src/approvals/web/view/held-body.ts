import { type Html, html } from '../../../html/page-markup.ts';
import { button } from '../../../ui/components/button.ts';
import { htmlText } from './html-text.ts';
import type { HeldView } from './shown-hold.ts';

/** A longer text is read on a page of its own, so that this one stays small. */
const TEXT_CHARACTERS = 20_000;

/** The message as its recipient sees it: HTML in a frame that runs nothing, all text in it, and the plain text. */
export function heldBody(view: HeldView): Html {
  const { html: body, text } = view.approval;
  if (body === null && (text === null || text === ''))
    return html`<p class="soft">Its content is no longer stored.</p>`;
  const plain = text === null || text === '' ? null : plainText(text, view);
  if (body === null) return plain ?? html``;
  return html`${frame(view)}${htmlText(view)}${plain === null ? null : html`<details class="more"><summary>Plain text</summary>${plain}</details>`}`;
}

function frame({ base, loadsPictures, approval: { html: body } }: HeldView): Html {
  const address = `${base}/html${loadsPictures ? '?pictures=1' : ''}`;
  // A form, because programs that follow the links of a page would load the pictures in the reader's name.
  const more = loadsPictures
    ? html`<p class="small soft">Pictures from other servers are loaded. The sender may learn that you opened the message.</p>`
    : REMOTE_PICTURE.test(body ?? '')
      ? html`<form method="get" action="${base}" class="row"><span class="small soft">Pictures from other servers are not loaded. Loading them may tell the sender that you opened the message.</span><input type="hidden" name="pictures" value="1">${button('Load remote pictures', { isSmall: true })}</form>`
      : html`<p class="small soft">Links cannot be opened here. They are listed below the message, with the addresses that they open.</p>`;
  return html`${more}<iframe class="mail-frame" sandbox title="The message as its recipients see it" src="${address}" referrerpolicy="no-referrer"></iframe>`;
}

/** The source of a picture, in an attribute or a style. Links do not count. */
const REMOTE_PICTURE = /(?:src|background)\s{0,5}=\s{0,5}["']?\s{0,5}https:|url\(\s{0,5}["']?\s{0,5}https:/i;

function plainText(text: string, { base }: HeldView): Html {
  const isCut = text.length > TEXT_CHARACTERS;
  return html`<pre class="mail-text" tabindex="0" role="region" aria-label="Plain text of the message">
${isCut ? text.slice(0, TEXT_CHARACTERS) : text}</pre>${isCut ? html`<p class="small">This is the beginning. <a href="${base}/text" target="_blank" rel="noopener noreferrer">Read the whole text</a>.</p>` : null}`;
}
