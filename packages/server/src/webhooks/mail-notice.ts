import { LIMITS } from '@postrider/core';
import { type DueNotice, settleNotice, takeDueNotices } from '../db/queries/webhook-receivers.ts';
import { formatTime } from '../html/time-words.ts';
import { ours, words } from '../installation-mail/mail-text.ts';
import type { WrittenMail } from '../installation-mail/written-mail.ts';
import { sendInstallationMail, type UserMailer, userMailSender } from '../support/installation-mail.ts';

/** If a process ends while it sends mail, another one takes over the rest after this time. */
const LEASE_MS = 5 * 60_000;

/**
 * Notifies the owners of an account by mail that one of their endpoints was disabled. A notice is not retried forever.
 * One that cannot be mailed does not block others, is retried after its lease, and makes this reject in the end.
 */
export async function mailNotices(mailer: UserMailer): Promise<void> {
  const now = mailer.clock.now();
  const failures: unknown[] = [];
  for (const notice of await takeDueNotices(mailer.sql, now, new Date(now.getTime() + LEASE_MS))) {
    await mailNotice(mailer, notice).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function mailNotice(mailer: UserMailer, notice: DueNotice): Promise<void> {
  const mail = writeNotice(notice, mailer.baseUrl);
  const from = userMailSender(mailer);
  for (const to of notice.members) await sendInstallationMail(mailer, { from, to, mail, tags: ['webhook'] });
  await settleNotice(mailer.sql, notice);
}

function writeNotice({ accountName, id, url, reason, failingSince }: DueNotice, baseUrl: string): WrittenMail {
  return {
    subject: ours(`Webhook endpoint disabled: ${hostOf(url)}`),
    preheader: ours('No more events are delivered to it. Its events are still stored.'),
    heading: ours('A webhook endpoint was disabled'),
    opening: [
      {
        kind: 'facts',
        facts: [
          { name: 'Account', lines: [words`${accountName}`] },
          { name: 'Endpoint', lines: [words`${url}`] },
          { name: 'Why', lines: [ours(reason === 'gone' ? GONE : failedSince(failingSince))] },
        ],
      },
      {
        kind: 'paragraph',
        text: words`No more events are delivered to it. Its events are still stored. When it works again, enable it and replay the missed events, at most ${LIMITS.webhookReplayDays} days.`,
      },
    ],
    button: { label: 'Open the endpoint', url: `${baseUrl}/console/webhooks/${id}` },
    rest: [
      { kind: 'paragraph', text: ours('In a terminal:') },
      {
        kind: 'commands',
        lines: [
          `postrider webhooks update ${id} --status enabled`,
          `postrider webhooks replay ${id} --since <time> --status failed`,
        ],
      },
      { kind: 'paragraph', text: ours('To see its responses over the API:') },
      { kind: 'commands', lines: [`GET ${baseUrl}/webhooks/${id}/deliveries?status=failed`] },
    ],
    footer: words`You get this email because you are a member of ${accountName}.`,
  };
}

const GONE = 'It responded with 410, which means that it is gone permanently.';

function failedSince(time: Date | null): string {
  return `All requests to it have failed since ${time === null ? 'several days ago' : formatTime(time)}.`;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an endpoint';
}
