import type { QuotaFacts } from '../db/queries/notices.ts';
import { formatTime } from '../html/time-words.ts';
import { ours, words } from '../installation-mail/mail-text.ts';
import type { WrittenMail } from '../installation-mail/written-mail.ts';
import { quotaResetsAt } from '../sending/quota.ts';
import { type NoticeContext, paragraph } from './notice-parts.ts';

/** A mail about a used quota. */
export function writeQuota(
  { limit, used, threshold }: QuotaFacts,
  { accountName, baseUrl, now }: NoticeContext,
): WrittenMail {
  const isUsedUp = threshold >= 100;
  const heading = isUsedUp ? 'The monthly quota is used up' : `${threshold} % of the monthly quota is used`;
  return {
    subject: words`${ours(heading)}: ${accountName}`,
    preheader: ours(isUsedUp ? 'Further sends are refused.' : 'Sends are refused once all of it is used.'),
    heading: ours(heading),
    opening: [
      {
        kind: 'facts',
        facts: [
          { name: 'Account', lines: [words`${accountName}`] },
          { name: 'Used', lines: [ours(`${format(used)} of ${format(limit)} recipients`)] },
          { name: 'Starts again', lines: [ours(formatTime(quotaResetsAt(now)))] },
        ],
      },
      paragraph(
        ours(
          isUsedUp
            ? 'Further sends are refused until then. What was accepted before is still delivered.'
            : 'Once all of it is used, further sends are refused until it starts again.',
        ),
      ),
      paragraph(ours('If the account needs more, ask the operator of this server for a higher quota.')),
    ],
    button: { label: 'See the usage', url: `${baseUrl}/console` },
    rest: [],
    footer: words`You get this email because you are an owner or admin of ${accountName}.`,
  };
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
