import type { SMTPServerAuthentication } from 'smtp-server';
import { hashApiKey, isWellFormedKey } from '../keys/api-key.ts';
import type { Caller } from '../keys/caller.ts';
import type { KeyAuthenticator } from '../keys/key-authenticator.ts';
import { type RefusedStep, refuseBy } from './smtp-refusal.ts';

/** Only the key counts. The fixed user name shows that the client means this service. */
const USER_NAME = 'postrider';

/** The scope that sending requires, over REST and SMTP. */
const SCOPE = 'emails:send';

/**
 * The hash, in base64, of the API key that AUTH PLAIN or LOGIN sends as the password.
 * @throws SmtpRefusal if it is not a key, or the user name is wrong.
 */
export function readCredentials({ username, password, authzid }: SMTPServerAuthentication): string {
  const names = [username, authzid].filter((name) => name !== undefined && name !== '');
  if (names.some((name) => name?.toLowerCase() !== USER_NAME)) {
    throw refuseBy('invalid_key', `the user name must be ${USER_NAME}, and the password an API key.`, 'log-in');
  }
  // Checked here, so that a password can never be parsed as anything other than one key.
  if (typeof password === 'string' && isWellFormedKey(password)) return hashApiKey(password).toString('base64');
  throw refuseBy('invalid_key', 'the password is not a valid Postrider API key. Check for typing errors.', 'log-in');
}

/**
 * Finds the owner of a key and checks that it may be used from this address and may send. Checked again for every
 * message: a revoked or restricted key takes effect within a second, also on open connections.
 * @throws SmtpRefusal, or what the database throws
 */
export async function authenticateSender(
  authenticator: KeyAuthenticator,
  keyHash: string | null,
  address: string,
  step: RefusedStep,
): Promise<Caller> {
  if (keyHash === null) throw refuseBy('missing_key', 'log in first.', step);
  const result = await authenticator.authenticateHash(keyHash, address);
  if (!result.ok) throw refuseBy(result.code, result.detail, step);
  if (!result.caller.scopes.includes(SCOPE)) {
    throw refuseBy('missing_scope', `the key lacks the scope ${SCOPE}.`, step);
  }
  return result.caller;
}
