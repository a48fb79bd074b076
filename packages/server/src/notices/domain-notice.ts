import { LIMITS } from '@postrider/core';
import type { NoticedDomain } from '../db/queries/noticed-facts.ts';
import { formatTime } from '../html/time-words.ts';
import { type MailText, ours, words } from '../installation-mail/mail-text.ts';
import type { MailPart, WrittenMail } from '../installation-mail/written-mail.ts';
import { listThings, type NoticeContext, paragraph } from './notice-parts.ts';

const HOUR_MS = 3_600_000;

/** A mail about domains that lost a required record and can still send for a while. */
export function writeDegradedDomains(
  first: NoticedDomain,
  domains: readonly NoticedDomain[],
  context: NoticeContext,
): WrittenMail {
  const several = domains.length > 1;
  const until = formatTime(new Date(first.statusSince.getTime() + LIMITS.domainGraceHours * HOUR_MS));
  return write(first, domains, context, {
    subject: several
      ? ours(`${domains.length} domains lost a required DNS record`)
      : words`Domain lost a required DNS record: ${first.name}`,
    heading: several ? `${domains.length} domains lost a required DNS record` : 'A domain lost a required DNS record',
    preheader: several
      ? `They can still send for up to ${LIMITS.domainGraceHours} hours.`
      : `It can still send for ${LIMITS.domainGraceHours} hours.`,
    more: several ? [] : [{ name: 'Sends until', lines: [ours(until)] }],
    next: several
      ? `Each of them can send for ${LIMITS.domainGraceHours} hours after it lost the record. Publish the records again before that time; they are checked every hour.`
      : 'Publish the record again before that time; it is checked every hour. Otherwise every send from the domain is refused.',
  });
}

/** A mail about domains that cannot send. */
export function writeFailedDomains(
  first: NoticedDomain,
  domains: readonly NoticedDomain[],
  context: NoticeContext,
): WrittenMail {
  const several = domains.length > 1;
  return write(first, domains, context, {
    subject: several ? ours(`${domains.length} domains cannot send`) : words`Domain cannot send: ${first.name}`,
    heading: several ? `${domains.length} domains cannot send` : 'A domain cannot send',
    preheader: several ? 'Every send from them is refused.' : 'Every send from it is refused.',
    more: [],
    next: several
      ? 'Every send from them is refused. Open the page of each domain, publish the records that it lists, and verify the domain again. A failed domain is not checked automatically.'
      : 'Every send from it is refused. Open its page, publish the records that it lists, and verify the domain again. It is not checked automatically.',
  });
}

interface Words {
  readonly subject: MailText;
  readonly heading: string;
  readonly preheader: string;
  readonly more: readonly { readonly name: string; readonly lines: readonly MailText[] }[];
  readonly next: string;
}

function write(
  first: NoticedDomain,
  domains: readonly NoticedDomain[],
  { accountName, baseUrl }: NoticeContext,
  { subject, heading, preheader, more, next }: Words,
): WrittenMail {
  const several = domains.length > 1;
  const about: readonly MailPart[] = several
    ? listThings(accountName, domains, (domain) => words`${domain.name}: ${ours(reasonOf(domain))}`)
    : [
        {
          kind: 'facts',
          facts: [
            { name: 'Account', lines: [words`${accountName}`] },
            { name: 'Domain', lines: [words`${first.name}`] },
            { name: 'Reason', lines: [ours(reasonOf(first))] },
            ...more,
          ],
        },
      ];
  return {
    ...{ subject, heading: ours(heading) },
    preheader: ours(preheader),
    opening: [...about, paragraph(ours(next))],
    button: several
      ? { label: 'Open the domains', url: `${baseUrl}/console/domains` }
      : { label: 'Open the domain', url: `${baseUrl}/console/domains/${first.id}` },
    rest: [],
    footer: words`You get this email because your role in ${accountName} lets you change its domains.`,
  };
}

/** The first sentence of the stored reason, which consists of our words. The next one has a time for programs. */
function reasonOf({ statusReason }: NoticedDomain): string {
  if (statusReason === null) return 'Its page shows the reason.';
  const end = statusReason.indexOf('. ');
  return end === -1 ? statusReason : statusReason.slice(0, end + 1);
}
