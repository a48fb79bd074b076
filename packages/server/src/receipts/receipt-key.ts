import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { SecretBox } from '../keys/secret-box.ts';

/** A public key as others get it (RFC 8037 §2). */
export interface PublicReceiptKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
}

export interface ReceiptKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
  /** Null once the key is retired. */
  readonly privateKey: KeyObject | null;
  readonly jwk: PublicReceiptKey;
}

/** Strict, because the same box seals other secrets, and a row could be made to contain one of them. */
const sealedKeySchema = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.string().optional(),
});

/** Creates a key, sealed. */
export function makeReceiptKey(box: SecretBox): Buffer {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return box.seal(JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x, d }));
}

/** The public half of a sealed key, sealed: public keys must be authentic too, or an attacker who can write rows could sign receipts. */
export function sealPublicHalf(box: SecretBox, sealed: Uint8Array): Buffer {
  const { kty, crv, x } = sealedKeySchema.parse(JSON.parse(box.open(sealed)));
  return box.seal(JSON.stringify({ kty, crv, x }));
}

/**
 * Reads a sealed key. Its `kid` is its thumbprint (RFC 7638), so a key cannot pass for another one.
 * @throws if no key of the installation opens it
 */
export function openReceiptKey(box: SecretBox, sealed: Uint8Array): ReceiptKey {
  const { kty, crv, x, d } = sealedKeySchema.parse(JSON.parse(box.open(sealed)));
  const kid = hash('sha256', JSON.stringify({ crv, kty, x }), 'base64url');
  return {
    kid,
    publicKey: createPublicKey({ format: 'jwk', key: { kty, crv, x } }),
    privateKey: d === undefined ? null : createPrivateKey({ format: 'jwk', key: { kty, crv, x, d } }),
    jwk: { kty, crv, x, kid, use: 'sig', alg: 'EdDSA' },
  };
}
