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
import { acceptMessages } from '../sending/accept-messages.ts';
import type { SendVerdict } from '../sending/send-command.ts';
import { type Sender, type SendOrder, toCommand } from '../sending/send-messages.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** What mail of the installation is sent with. */
export interface InstallationMailer {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly sandboxDomain: string;
  /** As of Routing. */
  readonly byDomain: boolean;
  readonly retryHours: number;
  readonly monthlyQuota: number;
  readonly baseUrl: string;
}

export interface InstallationMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly tags: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * Mail that the installation itself writes to a person, through the door that every send takes. A sender at the sandbox domain sends under the
 * installation's own account; one at a verified domain under the account that verified it, as only that may sign for it.
 */
export async function sendInstallationMail(mailer: InstallationMailer, mail: InstallationMail): Promise<SendVerdict> {
  const { from, to, subject, text, html, tags, metadata = {} } = mail;
  const accountId = await findSender(mailer, from);
  const request = sendRequestSchema.parse({
    ...{ from, to, subject, text, source: 'system', tags: [...tags], metadata },
    ...(html === undefined ? {} : { html }),
  });
  const sender: Sender = {
    ...{ accountId, keyId: POSTMASTER_KEY_ID, recipientAllowlist: null, trackOpens: false, trackClicks: false },
    persona: { source: null, agentName: null },
    ...{ lockPersona: false, sendLimit: null, mode: 'live', pausedBy: null },
  };
  const order: SendOrder = { request, fixedChannel: null, headerClaims: {}, idempotency: null };
  const body = { subject: request.subject ?? '', text: request.text ?? null, html: request.html ?? null };
  const content = { ...body, template: null, templateMaker: null, attachments: [], tracking: null, scheduledAt: null };
  const { sql, clock, ids, sandboxDomain, byDomain, retryHours, monthlyQuota } = mailer;
  const options = { sql, clock, ids, sandboxDomain, byDomain, retryHours, monthlyQuota };
  const {
    verdicts: [verdict],
  } = await acceptMessages(options, [toCommand(sender, order, content)]);
  if (verdict === undefined) throw new Error('a send came back without a verdict');
  // Without a queue beside it the timers of the next server find the message.
  if (verdict.kind === 'accepted') await addPumpJob(sql, 'deliver:pump:0', clock.now()).catch(() => undefined);
  return verdict;
}

/** An account that has not verified the domain is refused at the door, with what to do. */
async function findSender(mailer: InstallationMailer, from: string): Promise<string> {
  await ensurePostmasterAccount(mailer.sql, mailer.clock.now());
  const domain = domainOf(parseMailbox(from));
  if (domain === mailer.sandboxDomain) return POSTMASTER_ACCOUNT_ID;
  return (await findDomainOwner(mailer.sql, domain)) ?? POSTMASTER_ACCOUNT_ID;
}

function domainOf(parsed: ReturnType<typeof parseMailbox>): string {
  // The settings were read with the same parser.
  return parsed.ok ? (parsed.mailbox satisfies Mailbox).domain : '';
}
