import { LIMITS } from '@postrider/core';
import { z } from 'zod';
import type { SecretBox } from '../../keys/secret-box.ts';

/** What a challenge is for. A browser cannot use it for anything else. */
export type ChallengePurpose = 'sign-in' | 'register' | 'confirm';

/** A challenge that was sent to a browser, which keeps it sealed until its authenticator has signed it. */
export interface PasskeyChallenge {
  readonly purpose: ChallengePurpose;
  /** Base64url, as browsers return it. */
  readonly challenge: string;
  /** The user it was made for; null if no one is signed in. */
  readonly userId: string | null;
  readonly expiresAt: Date;
  /** Of `confirm`: what the user confirms, and what makes its challenge unique. */
  readonly confirms?: { readonly statement: string; readonly nonce: string };
  /** Of `register`: whether the user has confirmed it with a passkey; false for a first passkey. */
  readonly isConfirmed?: boolean;
}

export const CHALLENGE_SECONDS = LIMITS.passkeyChallengeMinutes * 60;

const sealedSchema = z.strictObject({
  passkey: z.enum(['sign-in', 'register', 'confirm']),
  challenge: z.string(),
  userId: z.string().nullable(),
  expiresAtMs: z.number(),
  confirms: z.strictObject({ statement: z.string(), nonce: z.string() }).optional(),
  isConfirmed: z.boolean().optional(),
});

export function sealChallenge(secrets: SecretBox, { purpose, expiresAt, ...given }: PasskeyChallenge): string {
  const content = { passkey: purpose, expiresAtMs: expiresAt.getTime(), ...given };
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
    const { passkey: purpose, challenge, userId, expiresAtMs, confirms, isConfirmed } = parsed.data;
    if (purpose !== expected.purpose || userId !== expected.userId) return null;
    if (expiresAtMs <= expected.now.getTime()) return null;
    return {
      ...{ purpose, challenge, userId, expiresAt: new Date(expiresAtMs) },
      ...(confirms === undefined ? {} : { confirms }),
      ...(isConfirmed === undefined ? {} : { isConfirmed }),
    };
  } catch {
    return null; // Forged, truncated, or sealed with a key that the installation no longer has.
  }
}
