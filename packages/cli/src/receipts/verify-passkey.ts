import { createHash, createPublicKey, verify, type webcrypto } from 'node:crypto';
import { isRecord, type JsonRecord, textOf } from '../output/json-value.ts';

const USER_PRESENT_AND_VERIFIED = 0x05;

/**
 * Checks the signature of a decider's passkey: it must be over this approval, made with the key that the receipt names. Returns what is wrong;
 * null if nothing is, or if the decision was made without a passkey.
 */
export function findPasskeyFault(claims: JsonRecord, decider: JsonRecord): string | null {
  const { assertion } = decider;
  if (assertion === undefined) return null;
  if (!isRecord(assertion) || !isRecord(assertion['publicKey'])) return 'The signature of a passkey cannot be read.';
  const text = (name: string) => textOf(assertion[name]);
  const data = Buffer.from(text('authenticatorData'), 'base64url');
  const client = Buffer.from(text('clientDataJSON'), 'base64url');
  if (!isOfChallenge(client, challengeOf(claims, decider, assertion))) return 'A passkey signed something else.';
  const flags = data[32] ?? 0;
  if (!data.subarray(0, 32).equals(sha256(text('rpId')))) return 'A passkey of another server signed it.';
  if ((flags & USER_PRESENT_AND_VERIFIED) !== USER_PRESENT_AND_VERIFIED) return 'The passkey did not verify its user.';
  const signed = Buffer.concat([data, sha256(client)]);
  return isSigned(assertion['publicKey'], signed, text('signature'))
    ? null
    : 'The signature of a passkey is not valid.';
}

/** What the authenticator had to sign, from the claims of the receipt alone. */
function challengeOf(claims: JsonRecord, decider: JsonRecord, assertion: JsonRecord): string {
  const statement = [
    'postrider-approval',
    ...['iss', 'accountId', 'approvalId', 'revision', 'contentHash'].map((name) => claims[name]),
    ...[assertion['confirmed'], decider['id'], assertion['nonce']],
  ];
  return createHash('sha256').update(JSON.stringify(statement)).digest('base64url');
}

function isOfChallenge(client: Buffer, challenge: string): boolean {
  try {
    const data: unknown = JSON.parse(client.toString());
    return isRecord(data) && data['type'] === 'webauthn.get' && data['challenge'] === challenge;
  } catch {
    return false;
  }
}

function isSigned(jwk: JsonRecord, signed: Buffer, signature: string): boolean {
  try {
    const key = createPublicKey({ format: 'jwk', key: jwk as webcrypto.JsonWebKey }); // Node checks its members.
    const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
    return verify(digest, signed, key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

function sha256(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}
