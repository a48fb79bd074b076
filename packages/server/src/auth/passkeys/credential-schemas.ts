import { passkeyNameSchema } from '@postrider/core';
import { z } from 'zod';

/** A credential id has at most 1,023 bytes (WebAuthn, section 4). */
const CREDENTIAL_ID_CHARACTERS = 1_364;

const base64url = z.string().regex(/^[\w-]+$/, 'must be base64url');
const credentialId = base64url.max(CREDENTIAL_ID_CHARACTERS);

const credentialFields = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
};

/** What `PublicKeyCredential.toJSON()` returns after a sign-in. Browsers add fields, which are ignored. */
const assertionSchema = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url,
  }),
});

export type Assertion = z.infer<typeof assertionSchema>;

/** As above, for a new passkey. */
const attestationSchema = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.string().regex(/^[a-z0-9-]{1,32}$/))
      .max(10)
      .default([]),
  }),
});

export type Attestation = z.infer<typeof attestationSchema>;

export const signInBodySchema = z.strictObject({ credential: assertionSchema });
export const registerBodySchema = z.strictObject({ name: passkeyNameSchema, credential: attestationSchema });
