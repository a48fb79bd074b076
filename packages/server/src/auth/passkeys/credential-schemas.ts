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

const signedFields = { clientDataJSON: base64url, authenticatorData: base64url, signature: base64url };

/** What `PublicKeyCredential.toJSON()` returns. Browsers add fields, which are ignored. */
const assertionSchema = z.object({
  ...credentialFields,
  response: z.object({ ...signedFields, userHandle: base64url.nullable().optional() }),
});

export type Assertion = z.infer<typeof assertionSchema>;

/** After a sign-in, the user is known by the passkey only. */
const signInSchema = z.object({ ...credentialFields, response: z.object({ ...signedFields, userHandle: base64url }) });

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

/** The token of a mailed link: 32 bytes. */
const link = base64url.max(100).optional();

/** To add another passkey, a user confirms it with one that they have; a first one that approves, with a link from their mailbox. */
export const registerOptionsBodySchema = z.strictObject({ confirmation: assertionSchema.optional(), link });
export const removeBodySchema = z.strictObject({ id: z.string().max(100), confirmation: assertionSchema.optional() });
export const confirmBodySchema = z.strictObject({
  change: z.enum(['add', 'remove']),
  id: z.string().max(100).optional(),
});
export const signInBodySchema = z.strictObject({ credential: signInSchema });
export const confirmationSchema = assertionSchema;
export const registerBodySchema = z.strictObject({ name: passkeyNameSchema, credential: attestationSchema, link });
