import { LIMITS } from '@postrider/core';
import { couldApproveWithPasskey } from '../../db/queries/approver-rules.ts';
import { lockOwnSession } from '../../db/queries/own-sessions.ts';
import {
  insertPasskey,
  listPasskeys,
  lockPasskeysOf,
  type PasskeyRow,
  spendChallenge,
} from '../../db/queries/passkeys.ts';
import type { User } from '../../keys/caller.ts';
import { hashToken } from '../session-token.ts';
import { isTopLevel } from './client-data.ts';
import type { Attestation } from './credential-schemas.ts';
import { spendFirstPasskeyLink } from './first-passkey-link.ts';
import { loadWebauthn, loadWebauthnHelpers } from './load-webauthn.ts';
import { ALGORITHMS } from './make-challenge.ts';
import { notePasskey } from './note-passkey.ts';
import type { PasskeyTools } from './passkey-tools.ts';
import { openChallenge } from './sealed-challenge.ts';

export type RegisterVerdict =
  | { readonly kind: 'registered'; readonly passkey: PasskeyRow }
  /** The browser has no challenge of this user that is recent and unused. */
  | { readonly kind: 'unchallenged' }
  /** It is the user's first one, will approve held sends, and no link from their mailbox confirms it. */
  | { readonly kind: 'unmailed' }
  /** The user has got a passkey since the challenge for their first one. */
  | { readonly kind: 'unconfirmed' }
  /** The response does not prove a new passkey of this server. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'full' };

export interface Registration {
  readonly name: string;
  readonly attestation: Attestation;
  /** The sealed challenge of the browser that sent the attestation. */
  readonly sealed: string | null;
  /** The token of a link that was mailed to the user. */
  readonly link: string | null;
}

/** Stores a new passkey of a user, and records it in the audit log of each of their accounts. The challenge is used up in any case. */
export async function registerPasskey(
  tools: PasskeyTools,
  user: Pick<User, 'userId' | 'sessionId'>,
  { name, attestation, sealed, link }: Registration,
): Promise<RegisterVerdict> {
  const { sql, clock, ids } = tools.auth.tools;
  const { userId } = user;
  const challenge = openChallenge(tools.auth.secrets, sealed, { purpose: 'register', userId, now: clock.now() });
  if (challenge === null) return { kind: 'unchallenged' };
  const { expiresAt } = challenge;
  if (!(await spendChallenge(sql, { hash: hashToken(challenge.challenge), expiresAt }))) {
    return { kind: 'unchallenged' };
  }
  const made = await readAttestation(tools, attestation, challenge.challenge);
  if (made === null) return { kind: 'refused' };
  return await sql.begin(async (transaction): Promise<RegisterVerdict> => {
    await lockPasskeysOf(transaction, userId);
    // It may have ended since, with the user's passkeys.
    if ((await lockOwnSession(transaction, userId, user.sessionId)) === null) return { kind: 'unchallenged' };
    const existing = await listPasskeys(transaction, userId);
    if (existing.length >= LIMITS.passkeysPerUser) return { kind: 'full' };
    if (existing.length > 0 && challenge.isConfirmed !== true) return { kind: 'unconfirmed' };
    const now = clock.now();
    if (existing.length === 0 && (await couldApproveWithPasskey(transaction, userId))) {
      const isMailed = link !== null && (await spendFirstPasskeyLink(transaction, user, link, now));
      if (!isMailed) return { kind: 'unmailed' };
    }
    const passkey = await insertPasskey(transaction, { id: ids.next(now), userId, name, ...made, now });
    if (passkey === null) return { kind: 'taken' };
    await notePasskey(transaction, tools.auth.tools, 'passkey.added', passkey, user);
    return { kind: 'registered', passkey };
  });
}

async function readAttestation({ party, auth }: PasskeyTools, attestation: Attestation, expectedChallenge: string) {
  if (!isTopLevel(attestation.response.clientDataJSON)) return null;
  const { verifyRegistrationResponse } = await loadWebauthn();
  try {
    if (await hasCertificates(attestation)) return null;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...attestation, clientExtensionResults: {} },
      ...{ expectedChallenge, expectedOrigin: [...party.origins], expectedRPID: party.id },
      requireUserVerification: true,
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    if (!verified) return null;
    const { credential, credentialBackedUp: backedUp } = registrationInfo;
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: String(credential.counter),
      transports: attestation.response.transports,
      backedUp,
    };
  } catch (error) {
    // The library throws for every mismatch, and for faults of its own.
    auth.onError(error, 'refusing a new passkey');
    return null;
  }
}

/**
 * Whether the response contains certificates of the authenticator's maker. They are not requested, so browsers leave them out. The library
 * would check them, and request the revocation lists that they name without our guard for outbound requests.
 */
async function hasCertificates({ response }: Attestation): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await loadWebauthnHelpers();
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = decoded.get('fmt');
  return format !== 'none' && (format !== 'packed' || decoded.get('attStmt').get('x5c') !== undefined);
}
