import type { SMTPServerAuthentication } from 'smtp-server';
import { isWellFormedKey } from '../keys/api-key.ts';
import type { Caller } from '../keys/caller.ts';
import type { KeyAuthenticator } from '../keys/key-authenticator.ts';
import { type RefusedStep, refuseBy } from './smtp-refusal.ts';

/** The key is what counts; the name says that nothing else is meant. */
const USER_NAME = 'postrider';

/** The scope that a send needs over every path. */
const SCOPE = 'emails:send';

/**
 * The key that AUTH PLAIN or LOGIN brings as its password.
 * @throws SmtpRefusal where it is none, or the user name is another.
 */
export function readCredentials({ username, password, authzid }: SMTPServerAuthentication): string {
  const names = [username, authzid].filter((name) => name !== undefined && name !== '');
  if (names.some((name) => name?.toLowerCase() !== USER_NAME)) {
    throw refuseBy('invalid_key', `the user name is ${USER_NAME}, and the password an API key.`, 'log-in');
  }
  // Asked here, so that a password can never be read as anything but one key.
  if (typeof password === 'string' && isWellFormedKey(password)) return password;
  throw refuseBy('invalid_key', 'the password is no Postrider API key, or it was mistyped.', 'log-in');
}

/**
 * Who stands behind a key, and that it may be used from there and may send. Asked at every message again: what is revoked or narrowed acts within a second, also on
 * connections that are open.
 * @throws SmtpRefusal, or what the database throws
 */
export async function authenticateSender(
  authenticator: KeyAuthenticator,
  secret: string,
  address: string,
  step: RefusedStep,
): Promise<Caller> {
  const result = await authenticator.authenticate(`Bearer ${secret}`, address);
  if (!result.ok) throw refuseBy(result.code, result.detail, step);
  if (!result.caller.scopes.includes(SCOPE)) {
    throw refuseBy('missing_scope', `the key lacks the scope ${SCOPE}.`, step);
  }
  return result.caller;
}
