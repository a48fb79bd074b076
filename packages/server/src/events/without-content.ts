import { type EventData, parseMailbox, type RecipientKind } from '@postrider/core';

type ApprovalData = EventData<'approval.requested'>;
type EmailData = EventData<'email.pending_approval'>;

/**
 * Events leave the installation, so one about a held message has no words that its sender chose until a person approves it: addresses, ids,
 * reasons and times are left.
 */
export function withoutContent(
  data: ApprovalData,
  recipients: readonly { readonly kind: RecipientKind; readonly email: string }[],
): ApprovalData {
  const addressesOf = (kind: RecipientKind) =>
    recipients.filter((recipient) => recipient.kind === kind).map(({ email }) => email);
  return {
    ...data,
    from: addressOf(data.from),
    to: addressesOf('to'),
    cc: addressesOf('cc'),
    bcc: addressesOf('bcc'),
    subject: null,
    // It has no key, so that a guess at the content could be compared with it.
    contentHash: null,
    attachments: [],
    agentName: null,
    replyTo: null,
  };
}

/** The same for the event of a message. */
export function withoutEmailContent(data: EmailData): EmailData {
  return { ...data, from: addressOf(data.from), subject: null, tags: [], metadata: {}, agentName: null };
}

/** Without the display name; empty where there is no address to be read. */
export function addressOf(mailbox: string): string {
  const verdict = parseMailbox(mailbox);
  return verdict.ok ? verdict.mailbox.address : '';
}
