import { z } from 'zod';
import type { SecretBox } from '../../keys/secret-box.ts';
import type { OAuthAttempt } from './oauth-client.ts';

const attemptSchema = z.strictObject({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string().nullable(),
  expiresAtMs: z.number(),
});

export function sealAttempt(secrets: SecretBox, attempt: OAuthAttempt): string {
  return secrets.seal(JSON.stringify(attempt)).toString('base64url');
}

/** Returns null if the value was not sealed here, belongs to another provider, or is too old. */
export function openAttempt(
  secrets: SecretBox,
  sealed: string | null,
  { provider, nowMs }: { readonly provider: string; readonly nowMs: number },
): OAuthAttempt | null {
  if (sealed === null) return null;
  try {
    const parsed = attemptSchema.safeParse(JSON.parse(secrets.open(Buffer.from(sealed, 'base64url'))));
    if (!parsed.success || parsed.data.provider !== provider || parsed.data.expiresAtMs <= nowMs) return null;
    return parsed.data;
  } catch {
    return null;
  }
}
