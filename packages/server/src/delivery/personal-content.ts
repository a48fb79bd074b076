import type { DeliveryContent } from '../db/queries/claim-deliveries.ts';
import { escapeHtml } from '../html/page-markup.ts';
import { fillUnsubscribePlaceholder, hasUnsubscribePlaceholder } from '../unsubscribe/placeholder.ts';
import type { UnsubscribeLinks } from '../unsubscribe/unsubscribe-links.ts';

export type PersonalContent =
  | { readonly ok: true; readonly content: DeliveryContent }
  | { readonly ok: false; readonly reason: string };

/**
 * The content of a message as the recipient of this delivery gets it: with that recipient's own unsubscribe link in the bodies and, where the
 * send asked for it, in the headers of RFC 8058. It comes last, when nothing looks at the links of the body any more.
 * @param ordinals the recipients of the delivery; one alone where the message was planned as one that names its reader.
 */
export function personalizeContent(
  content: DeliveryContent,
  ordinals: readonly number[],
  urlFor: UnsubscribeLinks['urlFor'],
): PersonalContent {
  const { accountId, messageId, html, text, unsubscribe } = content;
  if (!namesItsReader(content)) return { ok: true, content };
  const [ordinal] = ordinals;
  // A link in somebody else's copy would let that one unsubscribe the other.
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

/** Whether the message holds a link of its recipient's own. */
export function namesItsReader({ html, text, unsubscribe }: DeliveryContent): boolean {
  return unsubscribe || hasUnsubscribePlaceholder(html) || hasUnsubscribePlaceholder(text);
}

/** RFC 8058, section 3.1, on top of RFC 2369, section 3.2. */
function oneClickHeaders(url: string): Readonly<Record<string, string>> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
