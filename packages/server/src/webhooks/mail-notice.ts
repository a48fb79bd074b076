import { LIMITS } from '@postrider/core';
import { type DueNotice, settleNotice, takeDueNotices } from '../db/queries/webhook-receivers.ts';
import { type InstallationMailer, sendInstallationMail } from '../support/installation-mail.ts';

/** The tools for mail to a team. */
export interface NoticeMailer extends InstallationMailer {
  /** The setting POSTRIDER_MAIL_FROM. */
  readonly mailFrom: string | null;
}

/** If a process ends while it sends mail, another one takes over the rest after this time. */
const LEASE_MS = 5 * 60_000;

/**
 * Notifies the owners of an account by mail that one of their endpoints was disabled. A notice is not retried forever.
 * One that cannot be mailed does not block others, is retried after its lease, and makes this reject in the end.
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
      ? 'It responded with 410, which means that it is gone permanently.'
      : `All requests to it have failed since ${failingSince?.toISOString() ?? 'several days ago'}.`;
  return [
    `${accountName}: the webhook endpoint ${url} was disabled. ${why}`,
    '',
    'No more events are delivered to it. Its events are still stored. When it works again, enable it and replay the missed events,',
    `at most ${LIMITS.webhookReplayDays} days:`,
    '',
    `postrider webhooks update ${id} --status enabled`,
    `postrider webhooks replay ${id} --since <time> --status failed`,
    '',
    `To see its responses: GET ${baseUrl}/webhooks/${id}/deliveries?status=failed`,
    '',
  ].join('\n');
}
