import { LIMITS } from '@postrider/core';
import { listPasskeys } from '../../db/queries/passkeys.ts';
import { createSecret } from '../session-token.ts';
import { loadWebauthn } from './load-webauthn.ts';
import type { PasskeyTools } from './passkey-tools.ts';
import { CHALLENGE_SECONDS, type ChallengePurpose, sealChallenge } from './sealed-challenge.ts';
import { toUserHandle } from './user-handle.ts';

/** Options for the browser's `navigator.credentials`, and the sealed challenge that the browser keeps meanwhile. */
export interface Challenged<Options> {
  readonly options: Options;
  readonly sealed: string;
}

/** COSE numbers of the signatures that every supported Node verifies: Ed25519, ES256 and RS256. */
export const ALGORITHMS: readonly number[] = [-8, -7, -257];

/** For anyone who wants to prove with a passkey who they are. The options are the same for everyone, so they reveal no user. */
export async function challengePasskey(tools: PasskeyTools) {
  const { generateAuthenticationOptions } = await loadWebauthn();
  return await challenge(tools, 'sign-in', null, async (bytes) =>
    generateAuthenticationOptions({
      ...{ rpID: tools.party.id, challenge: bytes, timeout: CHALLENGE_SECONDS * 1_000 },
      userVerification: 'required',
    }),
  );
}

/** For a user who adds a passkey; null if they have as many as allowed. */
export async function challengeNewPasskey(
  tools: PasskeyTools,
  { userId, email, name }: { readonly userId: string; readonly email: string; readonly name: string | null },
) {
  const existing = await listPasskeys(tools.auth.tools.sql, userId);
  if (existing.length >= LIMITS.passkeysPerUser) return null;
  const { generateRegistrationOptions } = await loadWebauthn();
  return await challenge(tools, 'register', userId, async (bytes) =>
    generateRegistrationOptions({
      ...{ rpID: tools.party.id, rpName: tools.party.name, challenge: bytes, timeout: CHALLENGE_SECONDS * 1_000 },
      ...{ userID: toUserHandle(userId), userName: email, userDisplayName: name ?? email },
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: [...ALGORITHMS],
      // An authenticator that has one of them offers no second one.
      excludeCredentials: existing.map(({ credentialId, transports }) => ({
        ...{ id: credentialId.toString('base64url'), transports: [...transports] },
      })),
    }),
  );
}

async function challenge<Options extends { readonly challenge: string }>(
  { auth: { tools, secrets } }: PasskeyTools,
  purpose: ChallengePurpose,
  userId: string | null,
  generate: (bytes: Uint8Array<ArrayBuffer>) => Promise<Options>,
): Promise<Challenged<Options>> {
  const options = await generate(Uint8Array.from(Buffer.from(createSecret().token, 'base64url')));
  const expiresAt = new Date(tools.clock.now().getTime() + CHALLENGE_SECONDS * 1_000);
  return { options, sealed: sealChallenge(secrets, { purpose, challenge: options.challenge, userId, expiresAt }) };
}
