import { type Mailbox, parseMailbox, sendRequestSchema } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { addPumpJob } from '../db/queries/maintenance.ts';
import {
  ensurePostmasterAccount,
  findDomainOwner,
  POSTMASTER_ACCOUNT_ID,
  POSTMASTER_KEY_ID,
} from '../db/queries/postmaster-account.ts';
import { type AcceptanceOptions, acceptMessages } from '../sending/accept-messages.ts';
import type { SendVerdict } from '../sending/send-command.ts';
import { type Sender, type SendOrder, toCommand } from '../sending/send-messages.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** What mail of the installation is sent with. */
export interface AnswerMailer {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly sandboxDomain: string;
  /** As of Routing. */
  readonly byDomain: boolean;
  readonly retryHours: number;
  readonly monthlyQuota: number;
  /** The setting POSTRIDER_SUPPORT_FROM. */
  readonly supportFrom: string | null;
  readonly baseUrl: string;
}

interface TicketAnswer {
  readonly to: string;
  readonly ticket: { readonly id: string; readonly number: number; readonly subject: string };
  readonly body: string;
}

/**
 * Mails an answer to whoever raised the ticket, through the door that every send takes. The sender at the sandbox domain sends under the
 * installation's own account; one at a verified domain under the account that verified it, as only that may sign for it.
 */
export async function mailAnswer(mailer: AnswerMailer, answer: TicketAnswer): Promise<SendVerdict> {
  const from = mailer.supportFrom ?? `Postrider support <support@${mailer.sandboxDomain}>`;
  const accountId = await findSender(mailer, from);
  const request = sendRequestSchema.parse({
    ...{ from, to: answer.to, subject: `Re: [#${answer.ticket.number}] ${answer.ticket.subject}` },
    ...{ text: toText(answer, mailer.baseUrl), source: 'system', tags: ['support'] },
    metadata: { ticket: String(answer.ticket.number) },
  });
  const sender: Sender = {
    ...{ accountId, keyId: POSTMASTER_KEY_ID, recipientAllowlist: null, trackOpens: false, trackClicks: false },
    persona: { source: null, agentName: null },
    ...{ lockPersona: false, sendLimit: null, mode: 'live', pausedBy: null },
  };
  const order: SendOrder = { request, fixedChannel: null, headerClaims: {}, idempotency: null };
  const { subject = '', text = null } = request;
  const content = { subject, text, html: null, template: null, attachments: [], tracking: null, scheduledAt: null };
  const {
    verdicts: [verdict],
  } = await acceptMessages(toOptions(mailer), [toCommand(sender, order, content)]);
  if (verdict === undefined) throw new Error('a send came back without a verdict');
  // Without a queue beside it the timers of the next server find the message.
  if (verdict.kind === 'accepted')
    await addPumpJob(mailer.sql, 'deliver:pump:0', mailer.clock.now()).catch(() => undefined);
  return verdict;
}

/** An account that has not verified the domain is refused at the door, with what to do. */
async function findSender(mailer: AnswerMailer, from: string): Promise<string> {
  await ensurePostmasterAccount(mailer.sql, mailer.clock.now());
  const domain = domainOf(parseMailbox(from));
  if (domain === mailer.sandboxDomain) return POSTMASTER_ACCOUNT_ID;
  return (await findDomainOwner(mailer.sql, domain)) ?? POSTMASTER_ACCOUNT_ID;
}

function domainOf(parsed: ReturnType<typeof parseMailbox>): string {
  // The settings were read with the same parser.
  return parsed.ok ? (parsed.mailbox satisfies Mailbox).domain : '';
}

function toOptions({
  sql,
  clock,
  ids,
  sandboxDomain,
  byDomain,
  retryHours,
  monthlyQuota,
}: AnswerMailer): AcceptanceOptions {
  return { sql, clock, ids, sandboxDomain, byDomain, retryHours, monthlyQuota };
}

function toText({ ticket, body }: TicketAnswer, baseUrl: string): string {
  return [
    ...[body.trimEnd(), '', '-- ', `Ticket ${ticket.number}: ${ticket.subject}`],
    `Reply in the thread: postrider tickets reply ${ticket.number} --body "…"`,
    `or POST ${baseUrl}/support/tickets/${ticket.id}/messages with {"body": "…"}.`,
    '',
  ].join('\n');
}
