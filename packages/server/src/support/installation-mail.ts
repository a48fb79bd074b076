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
import { renderMail } from '../installation-mail/render-mail.ts';
import type { WrittenMail } from '../installation-mail/written-mail.ts';
import { type MailBody, sealBody } from '../keys/sealed-body.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import { acceptMessages } from '../sending/accept-messages.ts';
import { installationSender } from '../sending/judged-sender.ts';
import { toParsedSend } from '../sending/parsed-send.ts';
import type { SendVerdict } from '../sending/send-verdict.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** The tools that send mail of the installation. */
export interface InstallationMailer {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /**
   * Encrypts the stored parts of a mail. Null only where no mail can contain a signed link, as in an operator's command
   * without a secret key.
   */
  readonly secrets: SecretBox | null;
  readonly sandboxDomain: string;
  /** The same as in Routing. */
  readonly byDomain: boolean;
  readonly retryHours: number;
  readonly monthlyQuota: number;
  readonly baseUrl: string;
}

/** The tools that also know the sender of mail to users. */
export interface UserMailer extends InstallationMailer {
  /** The setting POSTRIDER_MAIL_FROM; null if it is not set. */
  readonly mailFrom: string | null;
}

export interface InstallationMail {
  readonly from: string;
  readonly to: string;
  readonly mail: WrittenMail;
  readonly tags: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  /** If set: within a day, only one mail is sent under this name, however often that is tried and whatever it says. */
  readonly once?: string;
}

/**
 * Sends mail that the installation itself writes to a user, through the same acceptance as every send. It always belongs
 * to the installation's own account, so that no customer's log shows it and no customer can stop it. The sender may be
 * the sandbox domain, or a domain that an account has verified, which signs it.
 */
export async function sendInstallationMail(mailer: InstallationMailer, mail: InstallationMail): Promise<SendVerdict> {
  const { from, to, tags, metadata = {}, once } = mail;
  const domainChecked = await maySendFrom(mailer, from);
  const rendered = renderMail(mail.mail);
  const request = sendRequestSchema.parse({
    ...{ from, to, source: 'system', tags: [...tags], metadata },
    ...rendered,
  });
  const idempotency = once === undefined ? null : { key: once, fingerprint: once };
  const input = { request, fixedChannel: null, headerClaims: {}, idempotency, domainChecked };
  const body = toStored(mailer, { text: request.text ?? null, html: request.html ?? null });
  const content = {
    ...{ subject: request.subject ?? '', ...body },
    ...{ template: null, templateMakers: null, attachments: [], tracking: null, scheduledAt: null },
  };
  const { sql, clock, ids, sandboxDomain, byDomain, retryHours, monthlyQuota } = mailer;
  const options = { sql, clock, ids, sandboxDomain, byDomain, retryHours, monthlyQuota };
  const {
    verdicts: [verdict],
  } = await acceptMessages(options, [
    toParsedSend(installationSender(POSTMASTER_ACCOUNT_ID, POSTMASTER_KEY_ID), input, content),
  ]);
  if (verdict === undefined) throw new Error('a send returned no verdict');
  // Without a queue in this process, the timers of the next server find the message.
  if (verdict.kind === 'accepted') await addPumpJob(sql, 'deliver:pump:0', clock.now()).catch(() => undefined);
  return verdict;
}

/** The sender of mail to users. */
function userMailSender({ mailFrom, sandboxDomain }: UserMailer): string {
  return mailFrom ?? `Postrider <no-reply@${sandboxDomain}>`;
}

/**
 * Sends mail to a user.
 * @throws if the server refused the mail, with the reason
 */
export async function mailUser(mailer: UserMailer, mail: Omit<InstallationMail, 'from'>): Promise<void> {
  const verdict = await sendInstallationMail(mailer, { from: userMailSender(mailer), ...mail });
  if (verdict.kind === 'refused') throw new Error(`${verdict.code}: ${verdict.detail}`);
}

function toStored({ secrets }: InstallationMailer, body: MailBody): MailBody {
  return secrets === null ? body : sealBody(secrets, body);
}

/** If false, acceptance rejects the domain and says what to do. */
async function maySendFrom(mailer: InstallationMailer, from: string): Promise<boolean> {
  await ensurePostmasterAccount(mailer.sql, mailer.clock.now());
  const domain = domainOf(parseMailbox(from));
  return domain === mailer.sandboxDomain || (await findDomainOwner(mailer.sql, domain)) !== null;
}

function domainOf(parsed: ReturnType<typeof parseMailbox>): string {
  // The settings were parsed with the same parser.
  return parsed.ok ? (parsed.mailbox satisfies Mailbox).domain : '';
}
