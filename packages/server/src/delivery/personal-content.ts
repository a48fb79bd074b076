import type { DeliveryContent } from '../db/queries/load-contents.ts';
import { escapeHtml } from '../html/page-markup.ts';
import { fillUnsubscribePlaceholder, hasUnsubscribePlaceholder } from '../unsubscribe/placeholder.ts';
import type { UnsubscribeLinks } from '../unsubscribe/unsubscribe-links.ts';

export type PersonalContent =
  | { readonly ok: true; readonly content: DeliveryContent }
  | { readonly ok: false; readonly reason: string };

/**
 * The content of a message for the recipient of this delivery: with that recipient's unsubscribe link in the bodies and,
 * if the send asked for it, in the headers of RFC 8058. This is the last step, after any step that processes the links
 * in the body.
 * @param ordinals the recipients of the delivery: only one if the message has personal links.
 */
export function personalizeContent(
  content: DeliveryContent,
  ordinals: readonly number[],
  urlFor: UnsubscribeLinks['urlFor'],
): PersonalContent {
  const { accountId, messageId, html, text, unsubscribe } = content;
  if (!namesItsReader(content)) return { ok: true, content };
  const [ordinal] = ordinals;
  // A link in another recipient's copy would let them unsubscribe this one.
  if (ordinal === undefined || ordinals.length > 1) {
    return { ok: false, reason: 'A message with unsubscribe links was planned for several recipients at once.' };
  }
  const url = urlFor({ accountId, messageId, ordinal });
  const bodies = {
    html: fillUnsubscribePlaceholder(html, escapeHtml(url)),
    text: fillUnsubscribePlaceholder(text, url),
  };
  const headers = unsubscribe ? { ...content.headers, ...oneClickHeaders(url) } : content.headers;
  return { ok: true, content: { ...content, ...bodies, headers } };
}

/** Whether the message contains a personal link of its recipient. */
export function namesItsReader({ html, text, unsubscribe }: DeliveryContent): boolean {
  return unsubscribe || hasUnsubscribePlaceholder(html) || hasUnsubscribePlaceholder(text);
}

/** RFC 8058, section 3.1, in addition to RFC 2369, section 3.2. */
function oneClickHeaders(url: string): Readonly<Record<string, string>> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
