import type { DeliveryContent } from '../db/queries/claim-deliveries.ts';
import type { MailBody } from '../keys/sealed-body.ts';
import { trackHtml } from '../links/track-html.ts';
import type { MessageUrls } from '../links/tracked-body.ts';
import {
  type Attachment,
  type ComposedMessage,
  composeMime,
  type Mailbox,
  type MimeMessage,
} from '../mime/compose-mime.ts';
import { type CanonicalMessage, canonicalizeMessage } from '../mime/dkim-canonical.ts';
import { HeaderRefusedError } from '../mime/mime-header.ts';
import { personalizeContent } from './personal-content.ts';

/** A stored message with everything needed to build its bytes. Plain data, so that a worker thread can receive it. */
export interface MessageOrder {
  readonly content: DeliveryContent;
  readonly from: Mailbox;
  readonly replyTo: readonly Mailbox[];
  /** The recipients of the delivery. */
  readonly ordinals: readonly number[];
  readonly attachments: readonly Attachment[];
  /** The bodies of the installation's own mail, which are stored encrypted. Null for all other mail. */
  readonly opened: MailBody | null;
  /** Null if nothing is tracked. */
  readonly trackingUrls: MessageUrls | null;
  /** The link of the only recipient; null if there are several. */
  readonly unsubscribeUrl: string | null;
}

export type MadeMessage =
  | { readonly ok: true; readonly composed: ComposedMessage; readonly canonical: CanonicalMessage }
  /** It can never be sent. */
  | { readonly ok: false; readonly reason: string };

/** All the work before signing that takes time in proportion to the size of the message. */
export function makeMessage(order: MessageOrder): MadeMessage {
  const { content, ordinals, unsubscribeUrl } = order;
  const personal = personalizeContent(withTracking(content, order.trackingUrls), ordinals, () => unsubscribeUrl ?? '');
  if (!personal.ok) return personal;
  try {
    // Inserted last, so that nothing else reads or rewrites the encrypted content.
    const composed = composeMime(toMimeMessage({ ...personal.content, ...order.opened }, order));
    return { ok: true, composed, canonical: canonicalizeMessage(composed) };
  } catch (error) {
    if (!(error instanceof HeaderRefusedError)) throw error;
    return { ok: false, reason: `The message cannot be composed: ${error.message}.` };
  }
}

function withTracking(content: DeliveryContent, urls: MessageUrls | null): DeliveryContent {
  const { html, tracking } = content;
  if (html === null || tracking === null || urls === null) return content;
  const { open, clicks } = urls;
  return { ...content, html: trackHtml(html, tracking, { open, click: (link) => clicks[link] ?? '' }) };
}

function toMimeMessage(
  content: DeliveryContent,
  { from, replyTo, attachments }: Pick<MessageOrder, 'from' | 'replyTo' | 'attachments'>,
): MimeMessage {
  const mailboxes = (kind: string) =>
    content.recipients.filter(({ k }) => k === kind).map(({ n, e }) => ({ name: n, address: e }));
  return {
    messageId: `${content.messageId}@${content.fromDomain}`,
    date: content.createdAt,
    from,
    to: mailboxes('to'),
    cc: mailboxes('cc'),
    replyTo,
    subject: content.subject,
    text: content.text,
    html: content.html,
    headers: Object.entries(content.headers ?? {}),
    attachments,
    boundarySeed: content.messageId,
  };
}
