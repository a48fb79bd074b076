import type { NoticedKey } from '../db/queries/noticed-facts.ts';
import { formatTime, timeLeft } from '../html/time-words.ts';
import { ours, words } from '../installation-mail/mail-text.ts';
import type { WrittenMail } from '../installation-mail/written-mail.ts';
import { listThings, type NoticeContext, paragraph } from './notice-parts.ts';

/** A mail about keys that expire within days. */
export function writeExpiringKeys(first: NoticedKey, keys: readonly NoticedKey[], context: NoticeContext): WrittenMail {
  const { accountName, baseUrl, now } = context;
  const footer = words`You get this email because your role in ${accountName} lets you change its API keys.`;
  if (keys.length > 1) {
    return {
      subject: ours(`${keys.length} API keys expire soon`),
      preheader: ours('Extend or replace the keys that are still in use.'),
      heading: ours(`${keys.length} API keys expire soon`),
      opening: [
        ...listThings(
          accountName,
          keys,
          ({ name, last4, expiresAt }) => words`${name} (ends in ${last4}): ${ours(formatTime(expiresAt))}`,
        ),
        paragraph(
          ours('The server rejects requests with an expired key, including sends by programs and agents that use it.'),
        ),
        paragraph(
          ours(
            'If a key is still in use, set a later expiry or replace it. No action is needed for keys that are no longer used.',
          ),
        ),
      ],
      button: { label: 'Open the keys', url: `${baseUrl}/console/keys` },
      ...{ rest: [], footer },
    };
  }
  const left = timeLeft(first.expiresAt, now);
  return {
    subject: words`API key expires ${ours(left)}: ${first.name}`,
    preheader: ours('Extend or replace it if it is still in use.'),
    heading: ours(`An API key expires ${left}`),
    opening: [
      {
        kind: 'facts',
        facts: [
          { name: 'Account', lines: [words`${accountName}`] },
          { name: 'Key', lines: [words`${first.name}`, words`ends in ${first.last4}`] },
          { name: 'Expires', lines: [ours(formatTime(first.expiresAt))] },
        ],
      },
      paragraph(
        ours(
          'After that, the server rejects requests with this key, including sends by programs and agents that use it.',
        ),
      ),
      paragraph(
        ours(
          'If the key is still in use, set a later expiry or replace it. No action is needed if it is no longer used.',
        ),
      ),
    ],
    button: { label: 'Open the key', url: `${baseUrl}/console/keys/${first.id}` },
    ...{ rest: [], footer },
  };
}
