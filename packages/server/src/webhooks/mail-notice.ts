import { LIMITS } from '@postrider/core';
import { type DueNotice, settleNotice, takeDueNotices } from '../db/queries/webhook-receivers.ts';
import { type InstallationMailer, sendInstallationMail } from '../support/installation-mail.ts';

/** What mail to a team is sent with. */
export interface NoticeMailer extends InstallationMailer {
  /** The setting POSTRIDER_MAIL_FROM. */
  readonly mailFrom: string | null;
}

/** A process that ends while it mails leaves the rest to another one after this. */
const LEASE_MS = 5 * 60_000;

/**
 * Tells the people of an account by mail that an endpoint of theirs was disabled. A notice that nobody takes is not kept on trying for ever; one
 * that cannot be mailed keeps no other back, is tried again after its lease, and has this reject in the end.
 */
export async function mailNotices(mailer: NoticeMailer): Promise<void> {
  const now = mailer.clock.now();
  const failures: unknown[] = [];
  for (const notice of await takeDueNotices(mailer.sql, now, new Date(now.getTime() + LEASE_MS))) {
    await mailNotice(mailer, notice).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function mailNotice(mailer: NoticeMailer, notice: DueNotice): Promise<void> {
  const from = mailer.mailFrom ?? `Postrider <no-reply@${mailer.sandboxDomain}>`;
  const mail = {
    from,
    subject: `Webhook endpoint disabled: ${hostOf(notice.url)}`,
    text: toText(notice, mailer.baseUrl),
  };
  for (const to of notice.members) await sendInstallationMail(mailer, { ...mail, to, tags: ['webhook'] });
  await settleNotice(mailer.sql, notice);
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an endpoint';
}

function toText({ accountName, id, url, reason, failingSince }: DueNotice, baseUrl: string): string {
  const why =
    reason === 'gone'
      ? 'It answered 410, which says that it is gone for good.'
      : `It has answered nothing but failures since ${failingSince?.toISOString() ?? 'days'}.`;
  return [
    `${accountName}: the webhook endpoint ${url} was disabled. ${why}`,
    '',
    'Nothing is delivered to it any more. Its events are still stored: once it works again, enable it and replay what it missed,',
    `at most ${LIMITS.webhookReplayDays} days:`,
    '',
    `postrider webhooks update ${id} --status enabled`,
    `postrider webhooks replay ${id} --since <time> --status failed`,
    '',
    `What the endpoint answered: GET ${baseUrl}/webhooks/${id}/deliveries?status=failed`,
    '',
  ].join('\n');
}
