import { REASON_SENTENCES } from '@postrider/core';
import type { NoticedHold } from '../db/queries/approval-notices.ts';
import { formatTime, timeLeft } from '../html/time-words.ts';
import { ours, words } from '../installation-mail/mail-text.ts';
import type { MailPart, WrittenMail } from '../installation-mail/written-mail.ts';
import { mailUser, type UserMailer } from '../support/installation-mail.ts';
import { type QuoteLimit, quoteHold } from './quoted-hold.ts';

export interface ApprovalMailer extends UserMailer {
  readonly onError: (error: unknown, what: string) => void;
}

/** One mail to one approver: the holds it names, each with the token of this approver's link. */
export interface ApprovalNotice {
  readonly to: string;
  /** At most NAMED_HOLDS. */
  readonly holds: readonly NamedHold[];
  /** The total number of holds, including those the mail does not name. */
  readonly count: number;
}

interface NamedHold {
  readonly hold: NoticedHold;
  readonly token: string;
}

/** The maximum number of holds that a mail names. It only counts the others, which are in the approver's inbox too. */
export const NAMED_HOLDS = 20;

/** A mail about one hold names all recipients. One about 20 stays below the 102 KB from which Gmail cuts a mail off. */
const QUOTED = {
  one: { characters: 1_500, lines: 50, items: Number.POSITIVE_INFINITY, isCompact: false },
  several: { characters: 200, lines: 4, items: 3, isCompact: true },
} as const;

/** How much of a subject the subject of the mail repeats, so that the quotation mark after it is not cut off. */
const SUBJECT_CHARACTERS = 120;

const LABEL = 'Review and decide';
const LIST_COMMAND = 'postrider approvals list --status pending';

/** @throws if the server refused the mail, with the reason */
export async function mailApprovals(
  mailer: ApprovalMailer,
  notice: ApprovalNotice,
  isReminder: boolean,
): Promise<void> {
  const [first] = notice.holds;
  if (first === undefined) return;
  const shown = { baseUrl: mailer.baseUrl, now: mailer.clock.now(), isReminder };
  const mail = notice.count === 1 ? writeOne(first, shown) : writeSeveral(first, notice, shown);
  await mailUser(mailer, { to: notice.to, mail, tags: ['approval'] });
}

interface Showing {
  readonly baseUrl: string;
  readonly now: Date;
  readonly isReminder: boolean;
}

function writeOne({ hold, token }: NamedHold, { baseUrl, now, isReminder }: Showing): WrittenMail {
  const { accountName, subject, expiresAt } = hold;
  return {
    subject: words`${ours(isReminder ? 'Still waiting' : 'Waiting')} for your approval: “${shortened(subject)}”`,
    preheader: ours(`Nothing has been sent. It expires ${timeLeft(expiresAt, now)}.`),
    heading: ours(`An email ${isReminder ? 'still waits' : 'waits'} for your approval`),
    opening: [
      {
        kind: 'paragraph',
        text: words`An email from ${accountName} ${ours(isReminder ? 'still waits' : 'waits')} for your decision. Nothing has been sent.`,
      },
      ...describe(hold, now, QUOTED.one),
    ],
    button: { label: LABEL, url: linkOf(baseUrl, token) },
    rest: [quoteHold(hold, QUOTED.one)],
    footer: footer(accountName, 'The link shows the whole email and lets you decide, once.'),
  };
}

function writeSeveral(first: NamedHold, { holds, count }: ApprovalNotice, showing: Showing): WrittenMail {
  const { baseUrl, now, isReminder } = showing;
  const { accountName } = first.hold;
  const more = count - holds.length;
  return {
    subject: ours(`${isReminder ? 'Still waiting' : 'Waiting'} for your approval: ${count} emails`),
    preheader: ours('Nothing has been sent. Each email has its own link.'),
    heading: ours(`${count} emails ${isReminder ? 'still wait' : 'wait'} for your approval`),
    opening: [
      {
        kind: 'paragraph',
        text: words`${count} emails from ${accountName} ${ours(isReminder ? 'still wait' : 'wait')} for your decision. Nothing has been sent.`,
      },
    ],
    button: { label: 'Review all in the console', url: `${baseUrl}/console/approvals` },
    rest: [
      ...holds.flatMap(({ hold, token }, index): readonly MailPart[] => [
        { kind: 'title', text: words`Email ${index + 1} of ${count}` },
        ...describe(hold, now, QUOTED.several),
        { kind: 'link', label: `${LABEL} on email ${index + 1}`, url: linkOf(baseUrl, token) },
        quoteHold(hold, QUOTED.several),
      ]),
      ...(more > 0 ? [{ kind: 'paragraph' as const, text: ours(`And ${more} more: ${LIST_COMMAND}`) }] : []),
    ],
    footer: footer(accountName, 'Each link shows the whole email and lets you decide, once.'),
  };
}

function shortened(subject: string): string {
  return subject.length <= SUBJECT_CHARACTERS ? subject : `${subject.slice(0, SUBJECT_CHARACTERS).toWellFormed()}…`;
}

function linkOf(baseUrl: string, token: string): string {
  return `${baseUrl}/approvals/${token}`;
}

/** Who asks, until when, and why it needs approval. */
function describe(
  { keyName, agentName, reasons, expiresAt, scheduledAt, approvalsNeeded: needed, voterIds }: NoticedHold,
  now: Date,
  { isCompact }: QuoteLimit,
): readonly MailPart[] {
  return [
    {
      kind: 'facts',
      isCompact,
      facts: [
        ...(agentName === null ? [] : [{ name: 'Agent', lines: [words`${agentName}`] }]),
        { name: 'Key', lines: [keyName === null ? ours('deleted') : words`${keyName}`] },
        ...(needed < 2
          ? []
          : [{ name: 'Approvals', lines: [ours(`${voterIds.length} of ${needed} people have approved it`)] }]),
        ...(scheduledAt === null ? [] : [{ name: 'Send at', lines: [ours(formatTime(scheduledAt))] }]),
        { name: 'Expires', lines: [ours(`${timeLeft(expiresAt, now)}, on ${formatTime(expiresAt)}`)] },
      ],
    },
    { kind: 'paragraph', text: ours('Why it needs approval:') },
    { kind: 'list', items: reasons.map((reason) => ours(REASON_SENTENCES[reason])) },
  ];
}

function footer(accountName: string, links: string): WrittenMail['footer'] {
  return words`${ours(links)} Opening it decides nothing. Do not forward this email: anyone who has the link decides in your name. You get it because you may decide emails of ${accountName}.`;
}
