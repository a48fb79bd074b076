import { hash, type KeyObject, sign, verify } from 'node:crypto';
import { type ReadClaims, type ReceiptClaims, readClaimsSchema } from './receipt-claims.ts';

/** The `typ` of the header, so that no other token that the key may ever sign passes for a receipt (RFC 8725 §3.11). */
const TYPE = 'postrider-receipt+jwt';
const ALGORITHM = 'EdDSA';

/** Signs a receipt: a JWS in compact form (RFC 7515 §3.1), with Ed25519 (RFC 8037). */
export function signReceipt(kid: string, privateKey: KeyObject, claims: ReceiptClaims): string {
  const header = encode({ alg: ALGORITHM, typ: TYPE, kid });
  const signed = `${header}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** The key that a receipt names; null if it is no receipt. */
export function kidOf(receipt: string): string | null {
  const parts = receipt.split('.');
  const header = parts.length === 3 ? decode(parts[0]) : null;
  if (header === null || header['alg'] !== ALGORITHM || header['typ'] !== TYPE || 'crit' in header) return null;
  return typeof header['kid'] === 'string' ? header['kid'] : null;
}

/** What a receipt states; null if this key did not sign it. The algorithm is the key's, whatever the header says. */
export function openReceipt(receipt: string, publicKey: KeyObject): ReadClaims | null {
  const [header, payload, text, ...more] = receipt.split('.');
  if (header === undefined || payload === undefined || text === undefined || more.length > 0) return null;
  const signature = Buffer.from(text, 'base64url');
  // The decoder accepts several spellings of the same bytes.
  if (signature.toString('base64url') !== text) return null;
  if (!verify(null, Buffer.from(`${header}.${payload}`), publicKey, signature)) return null;
  const parsed = readClaimsSchema.safeParse(decode(payload));
  return parsed.success ? parsed.data : null;
}

/** Identifies a receipt in the audit log: SHA-256 in hexadecimal. */
export function hashReceipt(receipt: string): string {
  return hash('sha256', receipt);
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string | undefined): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
