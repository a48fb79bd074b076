import type { NoticedHold } from '../db/queries/approval-notices.ts';
import { formatTime } from '../html/time-words.ts';
import { type InstallationMailer, sendInstallationMail } from '../support/installation-mail.ts';
import { REASON_SENTENCES } from './hold-words.ts';
import { breakLinks } from './sender-text.ts';

export interface ApprovalMailer extends InstallationMailer {
  /** The sender address for mail to users; null if the settings set none. */
  readonly mailFrom: string | null;
  readonly onError: (error: unknown, what: string) => void;
}

/** One mail to one approver: the holds it names, each with the token of this approver's link. */
export interface ApprovalNotice {
  readonly to: string;
  /** At most NAMED_HOLDS. */
  readonly holds: readonly { readonly hold: NoticedHold; readonly token: string }[];
  /** The total number of holds, including those the mail does not name. */
  readonly count: number;
}

/** The maximum number of holds that a mail names. It only counts the others, which are in the approver's inbox too. */
export const NAMED_HOLDS = 20;

/** @throws if the server refused the mail, with the reason */
export async function mailApprovals(
  mailer: ApprovalMailer,
  { to, holds, count }: ApprovalNotice,
  isReminder: boolean,
): Promise<void> {
  const [first] = holds;
  if (first === undefined) return;
  const what = count === 1 ? `“${breakLinks(first.hold.subject)}”` : `${count} emails`;
  const subject = `${isReminder ? 'Still waiting' : 'Waiting'} for your approval: ${what}`.slice(0, 200).toWellFormed();
  const from = mailer.mailFrom ?? `Postrider <no-reply@${mailer.sandboxDomain}>`;
  const text = toText({ holds, count }, mailer.baseUrl, isReminder);
  const verdict = await sendInstallationMail(mailer, { from, to, subject, text, tags: ['approval'] });
  if (verdict.kind === 'refused') throw new Error(`${verdict.code}: ${verdict.detail}`);
}

function toText({ holds, count }: Omit<ApprovalNotice, 'to'>, baseUrl: string, isReminder: boolean): string {
  const { accountName } = holds[0]?.hold ?? { accountName: '' };
  const more = count - holds.length;
  return [
    `${count === 1 ? 'An email' : `${count} emails`} from ${accountName} ${isReminder ? 'still ' : ''}${count === 1 ? 'waits' : 'wait'} for your approval. Nothing has been sent.`,
    '',
    ...holds.flatMap(({ hold, token }) => describe(hold, `${baseUrl}/approvals/${token}`)),
    ...(more > 0 ? [`And ${more} more: postrider approvals list --status pending`, ''] : []),
    'Each link shows the whole email and lets you decide, once. Opening it decides nothing. Do not forward it: anyone who has the link decides in your name.',
    '',
  ].join('\n');
}

/** Our link comes first. The text after it is the sender's, so it is quoted with all its links disabled. */
function describe({ keyName, from, subject, recipients, reasons, expiresAt }: NoticedHold, link: string): string[] {
  const key = keyName === null ? '(deleted)' : breakLinks(keyName);
  return [
    link,
    `Sent with the key ${key}. It expires on ${formatTime(expiresAt)}.`,
    ...reasons.map((reason) => `- ${REASON_SENTENCES[reason]}`),
    'The text below comes from the sender:',
    `> Subject: ${breakLinks(subject)}`,
    `> From: ${breakLinks(from)}`,
    `> To: ${recipients.map(breakLinks).join(', ')}`,
    '',
  ];
}
