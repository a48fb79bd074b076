import { LIMITS, type Role } from '@postrider/core';
import { ours, words } from '../installation-mail/mail-text.ts';
import type { WrittenMail } from '../installation-mail/written-mail.ts';
import { mailUser, type UserMailer } from '../support/installation-mail.ts';

/** Dependencies for mailing users. */
export type SignInMailer = UserMailer;

interface Invitation {
  readonly to: string;
  readonly accountName: string;
  readonly role: Role;
}

interface AddedPasskey {
  readonly to: string;
  /** As its user named it. */
  readonly name: string;
}

/** @throws if the server refused the mail, with the reason */
export async function mailSignInLink(mailer: SignInMailer, to: string, token: string): Promise<void> {
  const mail = writeSignInLink(`${mailer.baseUrl}/auth/magic-link/${token}`);
  await mailUser(mailer, { to, mail, tags: ['sign-in'] });
}

/** @throws if the server refused the mail, with the reason */
export async function mailInvitation(mailer: SignInMailer, invitation: Invitation): Promise<void> {
  const mail = writeInvitation(invitation, `${mailer.baseUrl}/auth/sign-in`);
  await mailUser(mailer, { to: invitation.to, mail, tags: ['invitation'] });
}

/**
 * Notifies a user of a new way to sign in, in case it was not them.
 * @throws if the server refused the mail, with the reason
 */
export async function mailPasskeyAdded(mailer: SignInMailer, { to, name }: AddedPasskey): Promise<void> {
  const mail = writePasskeyAdded(name, `${mailer.baseUrl}/auth/passkeys`);
  await mailUser(mailer, { to, mail, tags: ['passkey'] });
}

/**
 * Mails the link that confirms a user's first passkey.
 * @throws if the server refused the mail, with the reason
 */
export async function mailFirstPasskey(mailer: SignInMailer, to: string, url: string): Promise<void> {
  await mailUser(mailer, { to, mail: writeFirstPasskey(url), tags: ['first-passkey'] });
}

function writeFirstPasskey(url: string): WrittenMail {
  const limit = words`The link works once, for ${LIMITS.magicLinkMinutes} minutes.`;
  return {
    subject: ours('Add your first passkey'),
    preheader: limit,
    heading: ours('Add your first passkey'),
    opening: [
      {
        kind: 'paragraph',
        text: words`Open this link in the browser where you requested it, and add your passkey on its page. ${limit}`,
      },
      {
        kind: 'paragraph',
        text: ours('Your passkey will approve emails, so do not give this link to anyone, or to any program.'),
      },
    ],
    button: { label: 'Add a passkey', url },
    rest: [],
    footer: ours(
      'You get this email because someone who is signed in as you requested it. If you did not, do not open the link: no one can add a passkey without it. Sign out, and end your other sessions.',
    ),
  };
}

function writePasskeyAdded(name: string, url: string): WrittenMail {
  return {
    subject: ours('A passkey was added'),
    preheader: words`“${name}” can sign in as you.`,
    heading: ours('A passkey was added'),
    opening: [
      {
        kind: 'paragraph',
        text: words`“${name}” can now sign in as you, and confirm approvals. If you did not add it, remove it and end your other sessions at once.`,
      },
    ],
    button: { label: 'See your passkeys', url },
    rest: [],
    footer: ours('You get this email because a passkey was added for this address.'),
  };
}

function writeSignInLink(url: string): WrittenMail {
  const limit = words`The link works once, for ${LIMITS.magicLinkMinutes} minutes.`;
  return {
    subject: ours('Your sign-in link'),
    preheader: limit,
    heading: ours('Sign in to Postrider'),
    opening: [
      {
        kind: 'paragraph',
        text: words`Open this link in the browser where you requested it, and press the button on its page. ${limit}`,
      },
    ],
    button: { label: 'Sign in', url },
    rest: [],
    footer: ours(
      'You get this email because a sign-in link was requested for this address. If you did not request it, you can ignore this email: no one can sign in without the link.',
    ),
  };
}

function writeInvitation({ to, accountName, role }: Invitation, url: string): WrittenMail {
  return {
    subject: words`Your invitation to ${accountName}`,
    preheader: words`You are invited to the team of ${accountName}.`,
    heading: words`You are invited to the team of ${accountName}`,
    opening: [
      { kind: 'paragraph', text: ours('Sign in with the address that was invited to join the team.') },
      {
        kind: 'facts',
        facts: [
          { name: 'Address', lines: [words`${to}`] },
          { name: 'Role', lines: [ours(ROLE_SENTENCES[role])] },
        ],
      },
    ],
    button: { label: 'Sign in and join', url },
    rest: [],
    footer: words`You get this email because someone in the team of ${accountName} invited this address. If you did not expect it, you can ignore this email.`,
  };
}

const ROLE_SENTENCES: Readonly<Record<Role, string>> = {
  owner: 'Owner: may do everything.',
  admin: 'Admin: may do everything except delete the account.',
  developer: 'Developer: sends email, and creates keys, templates, domains and webhooks.',
  approver: 'Approver: reads emails, and decides those that need approval.',
  viewer: 'Viewer: reads messages without their content, templates, domains and statistics.',
};
