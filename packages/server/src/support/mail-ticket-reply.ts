import { ours, words } from '../installation-mail/mail-text.ts';
import type { WrittenMail } from '../installation-mail/written-mail.ts';
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
    mail: writeReply(response, mailer.baseUrl),
    tags: ['support'],
    metadata: { ticket: String(response.ticket.number) },
  });
}

function writeReply({ ticket, body }: TicketReply, baseUrl: string): WrittenMail {
  return {
    subject: ours(`Re: [#${ticket.number}] ${ticket.subject}`),
    preheader: words`Ticket ${ticket.number} has a new reply.`,
    heading: words`Support replied to ticket ${ticket.number}`,
    opening: [
      { kind: 'facts', facts: [{ name: 'Subject', lines: [words`${ticket.subject}`] }] },
      { kind: 'letter', text: body.trimEnd() },
    ],
    button: { label: 'Open the ticket', url: `${baseUrl}/console/tickets/${ticket.number}` },
    rest: [
      { kind: 'paragraph', text: ours('To reply in the thread without the console, in a terminal or over the API:') },
      {
        kind: 'commands',
        lines: [
          `postrider tickets reply ${ticket.number} --body "…"`,
          `POST ${baseUrl}/support/tickets/${ticket.id}/messages {"body": "…"}`,
        ],
      },
    ],
    footer: words`You get this email because you or a key of yours opened ticket ${ticket.number}, or because you own the account that did.`,
  };
}
