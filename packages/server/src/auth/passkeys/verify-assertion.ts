import { findPasskey, recordPasskeyUse, type StoredPasskey, spendChallenge } from '../../db/queries/passkeys.ts';
import { hashToken } from '../session-token.ts';
import { isTopLevel } from './client-data.ts';
import type { Assertion } from './credential-schemas.ts';
import { loadWebauthn } from './load-webauthn.ts';
import type { PasskeyTools } from './passkey-tools.ts';
import { type ChallengePurpose, openChallenge, type PasskeyChallenge } from './sealed-challenge.ts';
import { isHandleOf } from './user-handle.ts';

export type AssertionVerdict =
  | { readonly kind: 'verified'; readonly passkey: StoredPasskey; readonly challenge: PasskeyChallenge }
  /** The browser has no challenge for this purpose and user that is recent and unused. */
  | { readonly kind: 'unchallenged' }
  /** The passkey is unknown, belongs to another user, or its signature proves nothing. */
  | { readonly kind: 'refused' };

export interface AssertionCheck {
  readonly assertion: Assertion;
  /** The sealed challenge of the browser that sent the assertion. */
  readonly sealed: string | null;
  readonly purpose: ChallengePurpose;
  /** The user whose passkey it must be; null if the assertion is to say who the user is. */
  readonly userId: string | null;
}

/** Decides whether a browser has proven that its user has a passkey and was verified by it. The challenge is used up in any case. */
export async function verifyAssertion(
  tools: PasskeyTools,
  { assertion, sealed, purpose, userId }: AssertionCheck,
): Promise<AssertionVerdict> {
  const { sql, clock } = tools.auth.tools;
  const challenge = openChallenge(tools.auth.secrets, sealed, { purpose, userId, now: clock.now() });
  if (challenge === null) return { kind: 'unchallenged' };
  const { expiresAt } = challenge;
  if (!(await spendChallenge(sql, { hash: hashToken(challenge.challenge), expiresAt }))) {
    return { kind: 'unchallenged' };
  }
  const passkey = await findPasskey(sql, Buffer.from(assertion.id, 'base64url'));
  if (passkey === null || (userId !== null && passkey.userId !== userId)) return { kind: 'refused' };
  const proven = await readSignature(tools, passkey, assertion, challenge);
  if (proven === null || !isOwn(assertion, passkey, userId)) return { kind: 'refused' };
  if (!(await recordUse(tools, passkey, proven))) return { kind: 'refused' };
  return { kind: 'verified', passkey, challenge };
}

/** An authenticator that is asked for a passkey by its id may leave out the user. */
function isOwn({ response: { userHandle } }: Assertion, passkey: StoredPasskey, userId: string | null): boolean {
  if (userHandle === undefined || userHandle === null) return userId !== null;
  return isHandleOf(userHandle, passkey.userId);
}

interface Proven {
  readonly counter: number;
  readonly backedUp: boolean;
}

async function readSignature(
  { party, auth: { onError } }: PasskeyTools,
  { id, userId, publicKey }: StoredPasskey,
  assertion: Assertion,
  { challenge }: PasskeyChallenge,
): Promise<Proven | null> {
  if (!isTopLevel(assertion.response.clientDataJSON)) return null;
  const { verifyAuthenticationResponse } = await loadWebauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...assertion, response: responseOf(assertion), clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: true,
      // The statement that stores the use compares the counters, so that of two concurrent uses only one is accepted.
      credential: { id: assertion.id, publicKey: Uint8Array.from(publicKey), counter: 0 },
    });
    if (!verified) return null;
    return { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
  } catch (error) {
    // The library throws for every mismatch, and for faults of its own.
    onError(error, `refusing passkey ${id} of user ${userId}`);
    return null;
  }
}

function responseOf({ response: { userHandle, ...signed } }: Assertion) {
  return userHandle === undefined || userHandle === null ? signed : { ...signed, userHandle };
}

/** Returns false if the counter did not grow: then a copy of the authenticator was used, and it is unknown which one is the user's. */
async function recordUse(
  { auth: { tools, onError } }: PasskeyTools,
  { id, userId, counter: former }: StoredPasskey,
  { counter, backedUp }: Proven,
): Promise<boolean> {
  const use = { id, counter: String(counter), backedUp, now: tools.clock.now() };
  if (await recordPasskeyUse(tools.sql, use)) return true;
  const cause = `The signature counter did not grow from ${former}: it is ${counter}. The passkey may have been copied.`;
  onError(new Error(cause), `refusing passkey ${id} of user ${userId}`);
  return false;
}
