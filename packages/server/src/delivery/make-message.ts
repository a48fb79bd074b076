import { hash } from 'node:crypto';
import type { DeliveryContent } from '../db/queries/load-contents.ts';
import { trackHtml } from '../links/track-html.ts';
import type { MessageUrls } from '../links/tracked-body.ts';
import { type ComposedMessage, composeMime, joinMessage, type MimeMessage } from '../mime/compose-mime.ts';
import { type CanonicalMessage, canonicalizeMessage } from '../mime/dkim-canonical.ts';
import { HeaderRefusedError } from '../mime/mime-header.ts';
import { findDifference, isAsApproved } from './check-approved.ts';
import { type MessageOrder, type NeverSent, unapproved } from './message-order.ts';
import { personalizeContent } from './personal-content.ts';

export type MadeMessage =
  | {
      readonly ok: true;
      readonly composed: ComposedMessage;
      readonly canonical: CanonicalMessage;
      /** SHA-256 of the bytes that were compared with what was approved. Null if the message was never held. */
      readonly checkedDigest: string | null;
    }
  | NeverSent;

/** All the work before signing that takes time in proportion to the size of the message. */
export function makeMessage(order: MessageOrder): MadeMessage {
  const { content, ordinals, unsubscribeUrl, approved } = order;
  if (approved !== null && !isAsApproved(order, approved)) return unapproved('the stored content');
  const personal = personalizeContent(withTracking(content, order.trackingUrls), ordinals, () => unsubscribeUrl ?? '');
  if (!personal.ok) return personal;
  try {
    // Inserted last, so that nothing else reads or rewrites the encrypted content.
    const composed = composeMime(toMimeMessage({ ...personal.content, ...order.opened }, order));
    const canonical = canonicalizeMessage(composed);
    if (approved === null) return { ok: true, composed, canonical, checkedDigest: null };
    const difference = findDifference(order, composed);
    if (difference !== null) return unapproved(difference);
    return { ok: true, composed, canonical, checkedDigest: hash('sha256', joinMessage(composed, [])) };
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
