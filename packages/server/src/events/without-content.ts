import { type EventData, parseMailbox, type RecipientKind } from '@postrider/core';

type ApprovalData = EventData<'approval.requested'>;
type EmailData = EventData<'email.pending_approval'>;

/**
 * Events leave the installation. So an event about a held message contains no text that its sender wrote until an
 * approver approves it: only addresses, ids, reasons and times remain.
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
    // A hash without a key could be used to verify a guess of the content.
    contentHash: null,
    attachments: [],
    agentName: null,
    replyTo: null,
    // An approver may quote the message.
    votes: data.votes.map((vote) => ({ ...vote, note: null })),
  };
}

/** The same for the event of a message. */
export function withoutEmailContent(data: EmailData): EmailData {
  return { ...data, from: addressOf(data.from), subject: null, tags: [], metadata: {}, agentName: null };
}

/** Without the display name; empty if no address can be parsed. */
export function addressOf(mailbox: string): string {
  const verdict = parseMailbox(mailbox);
  return verdict.ok ? verdict.mailbox.address : '';
}
