import type { Confirmed } from '../auth/passkeys/confirmation.ts';
import { toPublicJwk } from '../auth/passkeys/public-jwk.ts';
import type { ReceiptAssertion } from './receipt-claims.ts';

/** The signature of a passkey as a receipt contains it. */
export async function toReceiptAssertion(
  { passkey, rpId, nonce, assertion }: Confirmed,
  remember: boolean,
): Promise<ReceiptAssertion> {
  const { authenticatorData, clientDataJSON, signature } = assertion.response;
  return {
    ...{ credentialId: assertion.id, publicKey: await toPublicJwk(passkey.publicKey), rpId, nonce },
    confirmed: remember ? 'approve-and-remember' : 'approve',
    ...{ authenticatorData, clientDataJSON, signature },
  };
}
