import type { TicketStatus } from '@postrider/core';
import { readRequesterEmail } from '../db/queries/postmaster-account.ts';
import { addTicketMessage, lockTicket, setTicketStatus, type TicketState } from '../db/queries/support-tickets.ts';
import type { Refusal } from '../sending/acceptance.ts';
import type { SendVerdict } from '../sending/send-verdict.ts';
import { mailTicketReply, type TicketReplyMailer } from './mail-ticket-reply.ts';

interface SupportReply {
  readonly number: number;
  readonly body: string;
  /** `pending` if the account should reply, `solved` if nothing is left to do. */
  readonly status: Extract<TicketStatus, 'pending' | 'solved'>;
  /** False: saves the reply only in the thread. */
  readonly mails: boolean;
}

export type SupportReplyVerdict =
  | { readonly kind: 'replied'; readonly mail: { readonly id: string; readonly to: string } | null }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'without-requester' }
  | { readonly kind: 'unmailable'; readonly to: string; readonly refusal: Refusal };

/** Replies to a ticket, in its thread and by mail. If the mail is rejected, nothing is saved. */
export async function sendSupportReply(
  mailer: TicketReplyMailer,
  response: SupportReply,
): Promise<SupportReplyVerdict> {
  let verdict: SupportReplyVerdict = { kind: 'unknown' };
  await mailer.sql.begin(async (transaction) => {
    const ticket = await lockTicket(transaction, null, { number: response.number });
    if (ticket === null) return;
    verdict = ticket.status === 'closed' ? { kind: 'closed' } : await mail(mailer, ticket, response);
    if (verdict.kind !== 'replied') return;
    const message = { accountId: ticket.accountId, ticketId: ticket.id, keyId: null, body: response.body } as const;
    const { status } = response;
    const mailedTo = verdict.mail?.to ?? null;
    await addTicketMessage(transaction, { ...message, author: 'support', mailedTo, status, now: mailer.clock.now() });
  });
  return verdict;
}

async function mail(
  mailer: TicketReplyMailer,
  ticket: TicketState,
  { body, mails }: SupportReply,
): Promise<SupportReplyVerdict> {
  if (!mails) return { kind: 'replied', mail: null };
  const to = await readRequesterEmail(mailer.sql, ticket.accountId, ticket.keyId);
  if (to === null) return { kind: 'without-requester' };
  const verdict: SendVerdict = await mailTicketReply(mailer, { to, ticket, body });
  if (verdict.kind === 'refused') return { kind: 'unmailable', to, refusal: verdict };
  return { kind: 'replied', mail: { id: verdict.id, to } };
}

/** Closes a ticket, whatever its status. Returns false if there is no ticket with that number. */
export async function closeTicket({ sql }: Pick<TicketReplyMailer, 'sql'>, number: number): Promise<boolean> {
  return await sql.begin(async (transaction) => {
    const ticket = await lockTicket(transaction, null, { number });
    if (ticket === null) return false;
    await setTicketStatus(transaction, ticket.accountId, ticket.id, 'closed');
    return true;
  });
}
