import { createPublicKey, verify } from 'node:crypto';
import { isRecord, type JsonRecord, textOf } from '../output/json-value.ts';

export type ReceiptVerdict =
  | { readonly ok: true; readonly claims: JsonRecord; readonly kid: string }
  | { readonly ok: false; readonly reason: ReceiptFault; readonly message: string };

/** Why a receipt is refused. */
export type ReceiptFault =
  | 'malformed'
  | 'unknown_key'
  | 'signature'
  | 'issuer'
  | 'passkey'
  | 'approvers'
  | 'message'
  | 'file';

const TYPE = 'postrider-receipt+jwt';

/**
 * Verifies a receipt with a key set. It accepts Ed25519 only: what the header says about the algorithm never selects another one.
 * @param keys the `keys` of a JWK set
 */
export function openReceipt(receipt: string, keys: readonly JsonRecord[]): ReceiptVerdict {
  const parts = receipt.split('.');
  const [header, payload] = [readPart(parts[0]), readPart(parts[1])];
  if (parts.length !== 3 || header === null || payload === null) return refuse('malformed', 'It is no compact JWS.');
  if (header['alg'] !== 'EdDSA' || header['typ'] !== TYPE || header['crit'] !== undefined) {
    return refuse('malformed', 'Its header is not that of a receipt.');
  }
  const kid = textOf(header['kid']);
  const key = keys.find((one) => one['kid'] === kid && one['kty'] === 'OKP' && one['crv'] === 'Ed25519');
  if (key === undefined) return refuse('unknown_key', 'The key set does not have the key that it names.');
  const [head = '', body = '', text = ''] = parts;
  const signature = Buffer.from(text, 'base64url');
  // A decoder accepts several spellings of the same bytes.
  const isExact = signature.toString('base64url') === text;
  if (!isExact || !verify(null, Buffer.from(`${head}.${body}`), toPublicKey(key), signature)) {
    return refuse('signature', 'Its signature is not valid.');
  }
  return { ok: true, claims: payload, kid };
}

export function refuse(reason: ReceiptFault, message: string): Extract<ReceiptVerdict, { ok: false }> {
  return { ok: false, reason, message };
}

function toPublicKey(key: JsonRecord) {
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: textOf(key['x']) } });
}

function readPart(part: string | undefined): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
