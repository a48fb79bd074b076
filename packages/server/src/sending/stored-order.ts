import { mailboxSchema, RECIPIENT_KINDS, type RecipientKind, type SendRequest } from '@postrider/core';
import type { StoredAttachment } from '../db/queries/message-attachments.ts';
import type { StoredSend } from '../db/queries/stored-sends.ts';
import type { SendOrder } from './send-messages.ts';

/** A stored message with its body, as `readStoredSend` answers it. */
export type SendWithBody = StoredSend & { readonly body: NonNullable<StoredSend['body']> };

/**
 * The order that sends a stored message once more: what was rendered, tagged and fetched the first time is taken as it is, and so is where
 * the message came from. What belonged to the first time alone, its schedule and its idempotency key, stays behind.
 */
export function toResendOrder(
  stored: SendWithBody,
  files: readonly StoredAttachment[],
  call: Pick<SendOrder, 'fixedChannel' | 'idempotency'>,
): SendOrder {
  return {
    ...call,
    request: toRequest(stored),
    headerClaims: {},
    resendOf: stored.id,
    stored: { template: stored.template, attachments: files },
  };
}

function toRequest(stored: SendWithBody): SendRequest {
  const { html, text, headers } = stored.body;
  return {
    from: mailboxSchema.parse(stored.fromGiven),
    ...toRecipients(stored.recipients),
    ...(stored.replyTo === null ? {} : { reply_to: mailboxSchema.parse(stored.replyTo) }),
    subject: stored.subject,
    ...(html === null ? {} : { html }),
    // An empty text keeps one from being derived where the first message had none.
    text: text ?? '',
    headers: { ...headers },
    metadata: { ...stored.metadata },
    tags: [...stored.tags],
    unsubscribe: stored.unsubscribe,
    channel: stored.channel,
    source: stored.source,
    ...(stored.agentName === null ? {} : { agent_name: stored.agentName }),
  };
}

function toRecipients(recipients: StoredSend['recipients']): Pick<SendRequest, RecipientKind> {
  const of = (kind: RecipientKind) =>
    recipients
      .filter((recipient) => recipient.kind === kind)
      .map(({ name, email }) => ({ ...mailboxSchema.parse(email), name }));
  const [to, cc, bcc] = RECIPIENT_KINDS.map(of);
  return { to: to ?? [], cc: cc ?? [], bcc: bcc ?? [] };
}
