import { LIMITS } from '@postrider/core';
import { z } from 'zod';
import type { SecretBox } from '../../keys/secret-box.ts';

/** What a challenge is for. A browser cannot use it for anything else. */
export type ChallengePurpose = 'sign-in' | 'register';

/** A challenge that was sent to a browser, which keeps it sealed until its authenticator has signed it. */
export interface PasskeyChallenge {
  readonly purpose: ChallengePurpose;
  /** Base64url, as browsers return it. */
  readonly challenge: string;
  /** The user it was made for; null if no one is signed in. */
  readonly userId: string | null;
  readonly expiresAt: Date;
}

export const CHALLENGE_SECONDS = LIMITS.passkeyChallengeMinutes * 60;

const sealedSchema = z.strictObject({
  passkey: z.enum(['sign-in', 'register']),
  challenge: z.string(),
  userId: z.string().nullable(),
  expiresAtMs: z.number(),
});

export function sealChallenge(secrets: SecretBox, { purpose, challenge, userId, expiresAt }: PasskeyChallenge): string {
  const content = { passkey: purpose, challenge, userId, expiresAtMs: expiresAt.getTime() };
  return secrets.seal(JSON.stringify(content)).toString('base64url');
}

/** Returns null if the value was not sealed here, is for another purpose or user, or is too old. */
export function openChallenge(
  secrets: SecretBox,
  sealed: string | null,
  expected: { readonly purpose: ChallengePurpose; readonly userId: string | null; readonly now: Date },
): PasskeyChallenge | null {
  if (sealed === null) return null;
  try {
    const parsed = sealedSchema.safeParse(JSON.parse(secrets.open(Buffer.from(sealed, 'base64url'))));
    if (!parsed.success) return null;
    const { passkey: purpose, challenge, userId, expiresAtMs } = parsed.data;
    if (purpose !== expected.purpose || userId !== expected.userId) return null;
    if (expiresAtMs <= expected.now.getTime()) return null;
    return { purpose, challenge, userId, expiresAt: new Date(expiresAtMs) };
  } catch {
    return null; // Forged, truncated, or sealed with a key that the installation no longer has.
  }
}
