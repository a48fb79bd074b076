import type { SendVerdict } from '../sending/send-verdict.ts';
import { type InstallationMailer, sendInstallationMail } from './installation-mail.ts';

export interface TicketReplyMailer extends InstallationMailer {
  /** The setting POSTRIDER_SUPPORT_FROM. */
  readonly supportFrom: string | null;
}

interface TicketReply {
  readonly to: string;
  readonly ticket: { readonly id: string; readonly number: number; readonly subject: string };
  readonly body: string;
}

/** Mails a reply to the user who opened the ticket. */
export async function mailTicketReply(mailer: TicketReplyMailer, response: TicketReply): Promise<SendVerdict> {
  return await sendInstallationMail(mailer, {
    from: mailer.supportFrom ?? `Postrider support <support@${mailer.sandboxDomain}>`,
    to: response.to,
    subject: `Re: [#${response.ticket.number}] ${response.ticket.subject}`,
    text: toText(response, mailer.baseUrl),
    tags: ['support'],
    metadata: { ticket: String(response.ticket.number) },
  });
}

function toText({ ticket, body }: TicketReply, baseUrl: string): string {
  return [
    ...[body.trimEnd(), '', '-- ', `Ticket ${ticket.number}: ${ticket.subject}`],
    `Reply in the thread: postrider tickets reply ${ticket.number} --body "…"`,
    `or POST ${baseUrl}/support/tickets/${ticket.id}/messages with {"body": "…"}.`,
    '',
  ].join('\n');
}
