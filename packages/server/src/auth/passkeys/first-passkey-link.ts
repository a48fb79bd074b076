import { LIMITS } from '@postrider/core';
import type { Query } from '../../db/client.ts';
import { deleteLinksBoundTo, insertMagicLink, isLinkValid, spendMagicLink } from '../../db/queries/magic-links.ts';
import { findUserEmail } from '../../db/queries/users.ts';
import type { User } from '../../keys/caller.ts';
import { ProblemError } from '../../problem.ts';
import type { AuthServices } from '../auth-services.ts';
import type { ClientInfo } from '../client-info.ts';
import { createSecret, hashToken } from '../session-token.ts';
import { mailFirstPasskey } from '../sign-in-mail.ts';
import type { RelyingParty } from './relying-party.ts';

type Owner = Pick<User, 'userId' | 'sessionId'>;

const MINUTE_MS = 60_000;

/**
 * Mails a link that lets this session add the user's first passkey. The link is what a stolen session does not have: it is only in the mail,
 * and no cookie replaces it. Returns the address.
 * @throws ProblemError if too many links were mailed
 */
export async function mailFirstPasskeyLink(
  { tools: { sql, clock }, linkLimits, mailer, cookies }: AuthServices,
  { origins: [origin] }: RelyingParty,
  user: Owner,
  clientInfo: ClientInfo,
): Promise<string> {
  // The address of a seat is written as the account that invited it wrote it.
  const email = await findUserEmail(sql, user.userId);
  if (email === null) throw new ProblemError('session_required');
  const { address } = clientInfo;
  if (!(await linkLimits.take({ email, address, known: clientInfo.cookie(cookies.known) }))) throw tooMany();
  const { token, hash } = createSecret();
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + LIMITS.magicLinkMinutes * MINUTE_MS);
  await insertMagicLink(sql, { hash, browserHash: boundTo(user), email, next: null, now, expiresAt });
  // Passkeys work under one name of the server.
  await mailFirstPasskey(mailer, email, `${origin ?? mailer.baseUrl}/auth/passkeys/first/${token}`);
  return email;
}

/** Whether a link lets this session add the user's first passkey. Does not use it up. */
export async function isFirstPasskeyLink(
  { sql, clock }: Pick<AuthServices['tools'], 'sql' | 'clock'>,
  user: Owner,
  token: string,
): Promise<boolean> {
  return await isLinkValid(sql, { hash: hashToken(token), browserHash: boundTo(user), now: clock.now() });
}

/** Uses up a link, and with it all others of this session. Returns false if it does not let this session add the user's first passkey. */
export async function spendFirstPasskeyLink(query: Query, user: Owner, token: string, now: Date): Promise<boolean> {
  const browserHash = boundTo(user);
  if ((await spendMagicLink(query, { hash: hashToken(token), browserHash, now })) === null) return false;
  await deleteLinksBoundTo(query, browserHash);
  return true;
}

/**
 * Binds a link to its purpose, the user and the session that requested it. The cookies to which sign-in links are bound never have this
 * value, so neither kind of link works as the other.
 */
function boundTo({ userId, sessionId }: Owner): Buffer {
  return hashToken(`first passkey of ${userId} in session ${sessionId}`);
}

function tooMany(): ProblemError {
  return new ProblemError('rate_limited', {
    detail: 'Too many links were mailed to you, or requested from your network.',
    fix: `Use the newest email, or try again in ${LIMITS.magicLinkMinutes} minutes.`,
    headers: { 'retry-after': String(LIMITS.magicLinkMinutes * 60) },
  });
}
