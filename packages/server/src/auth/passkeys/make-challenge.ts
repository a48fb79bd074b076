import { LIMITS } from '@postrider/core';
import { listPasskeys } from '../../db/queries/passkeys.ts';
import { createSecret } from '../session-token.ts';
import { loadWebauthn } from './load-webauthn.ts';
import type { PasskeyTools } from './passkey-tools.ts';
import { CHALLENGE_SECONDS, type PasskeyChallenge, sealChallenge } from './sealed-challenge.ts';
import { challengeOf, type Statement } from './statement.ts';
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
  return await challenge(tools, { purpose: 'sign-in', userId: null }, async (bytes) =>
    generateAuthenticationOptions({
      ...{ rpID: tools.party.id, challenge: bytes, timeout: CHALLENGE_SECONDS * 1_000 },
      userVerification: 'required',
    }),
  );
}

/** For a user who confirms something with one of their passkeys; null if they have none. */
export async function challengeConfirmation(tools: PasskeyTools, userId: string, statement: Statement) {
  const existing = await listPasskeys(tools.auth.tools.sql, userId);
  if (existing.length === 0) return null;
  const confirms = { statement: JSON.stringify(statement), nonce: createSecret().token };
  const { generateAuthenticationOptions } = await loadWebauthn();
  const options = await generateAuthenticationOptions({
    ...{ rpID: tools.party.id, timeout: CHALLENGE_SECONDS * 1_000, userVerification: 'required' },
    challenge: Uint8Array.from(Buffer.from(challengeOf(confirms.statement, confirms.nonce), 'base64url')),
    allowCredentials: existing.map(toDescriptor),
  });
  return { options, sealed: seal(tools, { purpose: 'confirm', userId, challenge: options.challenge, confirms }) };
}

/**
 * For a user who adds a passkey; null if they have as many as allowed.
 * @param isConfirmed whether they have confirmed it with a passkey that they have
 */
export async function challengeNewPasskey(
  tools: PasskeyTools,
  { userId, email, name }: { readonly userId: string; readonly email: string; readonly name: string | null },
  isConfirmed: boolean,
) {
  const existing = await listPasskeys(tools.auth.tools.sql, userId);
  if (existing.length >= LIMITS.passkeysPerUser) return null;
  const { generateRegistrationOptions } = await loadWebauthn();
  return await challenge(tools, { purpose: 'register', userId, isConfirmed }, async (bytes) =>
    generateRegistrationOptions({
      ...{ rpID: tools.party.id, rpName: tools.party.name, challenge: bytes, timeout: CHALLENGE_SECONDS * 1_000 },
      ...{ userID: toUserHandle(userId), userName: email, userDisplayName: name ?? email },
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: [...ALGORITHMS],
      // An authenticator that has one of them offers no second one.
      excludeCredentials: existing.map(toDescriptor),
    }),
  );
}

async function challenge<Options extends { readonly challenge: string }>(
  tools: PasskeyTools,
  given: Omit<PasskeyChallenge, 'challenge' | 'expiresAt'>,
  generate: (bytes: Uint8Array<ArrayBuffer>) => Promise<Options>,
): Promise<Challenged<Options>> {
  const options = await generate(Uint8Array.from(Buffer.from(createSecret().token, 'base64url')));
  return { options, sealed: seal(tools, { ...given, challenge: options.challenge }) };
}

function seal({ auth: { tools, secrets } }: PasskeyTools, challenge: Omit<PasskeyChallenge, 'expiresAt'>): string {
  const expiresAt = new Date(tools.clock.now().getTime() + CHALLENGE_SECONDS * 1_000);
  return sealChallenge(secrets, { ...challenge, expiresAt });
}

type Passkey = Awaited<ReturnType<typeof listPasskeys>>[number];

function toDescriptor({ credentialId, transports }: Passkey) {
  return { id: credentialId.toString('base64url'), transports: [...transports] };
}
