import type { SendVerdict } from '../sending/send-command.ts';
import { type InstallationMailer, sendInstallationMail } from './installation-mail.ts';

export interface AnswerMailer extends InstallationMailer {
  /** The setting POSTRIDER_SUPPORT_FROM. */
  readonly supportFrom: string | null;
}

interface TicketAnswer {
  readonly to: string;
  readonly ticket: { readonly id: string; readonly number: number; readonly subject: string };
  readonly body: string;
}

/** Mails an answer to whoever raised the ticket. */
export async function mailAnswer(mailer: AnswerMailer, answer: TicketAnswer): Promise<SendVerdict> {
  return await sendInstallationMail(mailer, {
    from: mailer.supportFrom ?? `Postrider support <support@${mailer.sandboxDomain}>`,
    to: answer.to,
    subject: `Re: [#${answer.ticket.number}] ${answer.ticket.subject}`,
    text: toText(answer, mailer.baseUrl),
    tags: ['support'],
    metadata: { ticket: String(answer.ticket.number) },
  });
}

function toText({ ticket, body }: TicketAnswer, baseUrl: string): string {
  return [
    ...[body.trimEnd(), '', '-- ', `Ticket ${ticket.number}: ${ticket.subject}`],
    `Reply in the thread: postrider tickets reply ${ticket.number} --body "…"`,
    `or POST ${baseUrl}/support/tickets/${ticket.id}/messages with {"body": "…"}.`,
    '',
  ].join('\n');
}
