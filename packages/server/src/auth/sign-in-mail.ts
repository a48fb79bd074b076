import { LIMITS, type Role } from '@postrider/core';
import { type InstallationMailer, sendInstallationMail } from '../support/installation-mail.ts';

/** Dependencies for mailing users. */
export interface SignInMailer extends InstallationMailer {
  /** The setting POSTRIDER_MAIL_FROM. */
  readonly mailFrom: string | null;
}

/** @throws if the server refused the mail, with the reason */
export async function mailSignInLink(mailer: SignInMailer, to: string, token: string): Promise<void> {
  const text = [
    'Open this link in the browser where you requested it, and press the button:',
    '',
    `${mailer.baseUrl}/auth/magic-link/${token}`,
    '',
    `It works once, for ${LIMITS.magicLinkMinutes} minutes. If you did not request it, you can ignore this email.`,
    '',
  ].join('\n');
  await mail(mailer, { to, subject: 'Your sign-in link', text, tags: ['sign-in'] });
}

/** @throws if the server refused the mail, with the reason */
export async function mailInvitation(
  mailer: SignInMailer,
  { to, accountName, role }: { readonly to: string; readonly accountName: string; readonly role: Role },
): Promise<void> {
  const text = [
    `You are invited to the team of ${accountName}, as ${role}.`,
    '',
    `Sign in with this address (${to}) to join:`,
    `${mailer.baseUrl}/auth/sign-in`,
    '',
    'If you did not expect this invitation, you can ignore this email.',
    '',
  ].join('\n');
  await mail(mailer, { to, subject: `Your invitation to ${accountName}`, text, tags: ['invitation'] });
}

async function mail(
  mailer: SignInMailer,
  message: { readonly to: string; readonly subject: string; readonly text: string; readonly tags: readonly string[] },
): Promise<void> {
  const from = mailer.mailFrom ?? `Postrider <no-reply@${mailer.sandboxDomain}>`;
  const verdict = await sendInstallationMail(mailer, { from, ...message });
  if (verdict.kind === 'refused') throw new Error(`${verdict.code}: ${verdict.detail}`);
}
