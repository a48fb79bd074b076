import { loadWebauthnHelpers } from './load-webauthn.ts';

/** A public key as RFC 7517 writes it. */
export type PublicJwk =
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string };

/** Numbers of COSE keys (RFC 9053): the kind of the key, and its parts. */
const KTY = 1;
const OKP = 1;
const EC2 = 2;
const RSA = 3;

/** The public key of a passkey, which is stored as a COSE key, in the form that programs read (RFC 7517). */
export async function toPublicJwk(coseKey: Uint8Array): Promise<PublicJwk> {
  const { isoCBOR } = await loadWebauthnHelpers();
  const key = isoCBOR.decodeFirst<ReadonlyMap<number, unknown>>(Uint8Array.from(coseKey));
  const part = (label: number): string => {
    const value = key.get(label);
    if (!(value instanceof Uint8Array)) throw new Error(`a passkey has no part ${label}`);
    return Buffer.from(value).toString('base64url');
  };
  switch (key.get(KTY)) {
    case EC2:
      return { kty: 'EC', crv: 'P-256', x: part(-2), y: part(-3) };
    case OKP:
      return { kty: 'OKP', crv: 'Ed25519', x: part(-2) };
    case RSA:
      return { kty: 'RSA', n: part(-1), e: part(-2) };
    default:
      throw new Error('a passkey has a key of an unknown kind');
  }
}
