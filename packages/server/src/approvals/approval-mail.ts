import type { NoticedHold } from '../db/queries/approval-notices.ts';
import { type InstallationMailer, sendInstallationMail } from '../support/installation-mail.ts';
import { formatTime, REASON_SENTENCES } from './hold-words.ts';
import { breakLinks } from './sender-text.ts';

export interface ApprovalMailer extends InstallationMailer {
  /** The sender of mail to people, where the settings name one. */
  readonly mailFrom: string | null;
  readonly onError: (error: unknown, what: string) => void;
}

/** Holds that one approver hears of in one mail, each with the token of their own link. */
export interface ApprovalNotice {
  readonly to: string;
  /** NAMED_HOLDS at most. */
  readonly holds: readonly { readonly hold: NoticedHold; readonly token: string }[];
  /** How many it is about, with those that are not named. */
  readonly count: number;
}

/** A mail names this many; the others are only counted, and lie in the inbox like these. */
export const NAMED_HOLDS = 20;

/** @throws where the mail was refused, with the reason */
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

/** Our own link first: what follows it was chosen by the sender, and is quoted without links of its own. */
function describe({ keyName, from, subject, recipients, reasons, expiresAt }: NoticedHold, link: string): string[] {
  const key = keyName === null ? '(gone)' : breakLinks(keyName);
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
