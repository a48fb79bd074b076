import type { SessionToken } from '../client-info.ts';
import { RemovedPasskeyError, type SignInClient, type SignInVerdict, signIn } from '../sign-in.ts';
import type { Assertion } from './credential-schemas.ts';
import type { PasskeyTools } from './passkey-tools.ts';
import { type AssertionVerdict, verifyAssertion } from './verify-assertion.ts';

export type PasskeySignInVerdict = SignInVerdict | Exclude<AssertionVerdict, { readonly kind: 'verified' }>;

/** Starts a session for the user of a passkey. A passkey opens the seats that its user has, and never creates an account. */
export async function signInWithPasskey(
  tools: PasskeyTools,
  {
    assertion,
    sealed,
    from,
    former,
  }: {
    readonly assertion: Assertion;
    readonly sealed: string | null;
    readonly from: SignInClient;
    readonly former: SessionToken | null;
  },
): Promise<PasskeySignInVerdict> {
  const verdict = await verifyAssertion(tools, { assertion, sealed, purpose: 'sign-in', userId: null });
  if (verdict.kind !== 'verified') return verdict;
  const { id: passkeyId, email } = verdict.passkey;
  const arrival = { email, name: null, identity: null, how: 'passkey', passkeyId };
  try {
    return await signIn({ ...tools.auth.tools, isSignupOpen: false }, arrival, from, former);
  } catch (error) {
    if (error instanceof RemovedPasskeyError) return { kind: 'refused' };
    throw error;
  }
}
