import type { QuotaFacts } from '../db/queries/notices.ts';
import { formatTime } from '../html/time-words.ts';
import { ours, words } from '../installation-mail/mail-text.ts';
import type { WrittenMail } from '../installation-mail/written-mail.ts';
import { quotaResetsAt } from '../sending/quota.ts';
import { type NoticeContext, paragraph } from './notice-parts.ts';

/** A mail about a quota that is used up, or almost. */
export function writeQuota(
  { limit, used, threshold }: QuotaFacts,
  { accountName, baseUrl, now }: NoticeContext,
): WrittenMail {
  const isUsedUp = threshold >= 100;
  const heading = isUsedUp ? 'The monthly quota is used up' : `${threshold} % of the monthly quota is used`;
  return {
    subject: words`${ours(heading)}: ${accountName}`,
    preheader: ours(isUsedUp ? 'Sends are refused until it resets.' : 'Sends are refused once it is used up.'),
    heading: ours(heading),
    opening: [
      {
        kind: 'facts',
        facts: [
          { name: 'Account', lines: [words`${accountName}`] },
          { name: 'Used', lines: [ours(`${format(used)} of ${format(limit)} recipients`)] },
          { name: 'Resets', lines: [ours(formatTime(quotaResetsAt(now)))] },
        ],
      },
      paragraph(
        ours(
          isUsedUp
            ? 'Sends are refused until the quota resets. Messages that were already accepted are still delivered.'
            : 'Once the quota is used up, sends are refused until it resets.',
        ),
      ),
      paragraph(ours('If the account needs more, ask the operator of this server for a higher quota.')),
    ],
    button: { label: 'View the usage', url: `${baseUrl}/console` },
    rest: [],
    footer: words`You get this email because you are an owner or admin of ${accountName}.`,
  };
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
