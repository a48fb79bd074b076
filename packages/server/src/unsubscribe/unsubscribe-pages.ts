import { type Html, html } from '../html/page-markup.ts';
import { button } from '../ui/components/button.ts';
import { renderDocument } from '../ui/page-document.ts';

interface Recipient {
  readonly email: string;
  /** The sender of the message that contained the link. */
  readonly from: string;
}

/** Asks whether to unsubscribe. Only the button does it, because mail scanners follow links. */
export function renderUnsubscribePage({ email, from }: Recipient): string {
  return page(
    'Unsubscribe',
    html`<p>Stop sending email from <b>${from}</b> to <b>${email}</b>?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click">${button('Unsubscribe', { kind: 'primary' })}</form>`,
  );
}

export function renderUnsubscribedPage({ email, from }: Recipient): string {
  return page(
    'You are unsubscribed',
    html`<p role="status"><b>${email}</b> will no longer receive email from <b>${from}</b>.</p><p>You can close this page.</p>`,
  );
}

export function renderUnknownLinkPage(): string {
  return page(
    'This link does not work',
    html`<p>The link is incomplete, or its message is no longer stored here.</p>
<p>Open the link in the message again. If that does not help, reply to the sender.</p>`,
  );
}

export function renderTryAgainPage(): string {
  return page(
    'Please try again',
    html`<p>We could not process your request, and nothing was changed. Try again in a minute.</p>`,
  );
}

/** Recipients do not know this server, so the page has no name of it and leads nowhere. */
function page(title: string, content: Html): string {
  const body = html`<div class="single bare"><main class="sheet"><h1>${title}</h1>${content}</main></div>`;
  return renderDocument({ title, body, hasScript: false, isBranded: false });
}
