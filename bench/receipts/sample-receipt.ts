import { createHash, generateKeyPairSync, hash, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto';
import type { ReceiptAssertion, ReceiptClaims } from '../../packages/server/src/receipts/receipt-claims.ts';

const ISSUER = 'https://mail.example.com';
const RP_ID = 'mail.example.com';

/** What the receipt of one approval by a member states, as the console makes it. Every one is about another message. */
export function sampleClaims(
  index: number,
  messageId: string = randomUUID(),
  accountId: string = randomUUID(),
): ReceiptClaims {
  const at = new Date(1_790_000_000_000 + index).toISOString();
  const contentHash = hash('sha256', `content ${index}`);
  return {
    ...{ iss: ISSUER, iat: 1_790_000_000, decision: 'approved', outcome: 'queued', accountId },
    ...{ approvalId: randomUUID(), emailId: messageId, revision: 1, contentHash, heldContentHash: contentHash },
    ...{ edited: [], scheduledAt: null, files: [], rejectCode: null },
    hold: { keyId: randomUUID(), reasons: ['always'], since: at },
    approvers: { requirePasskey: false, count: 1, memberIds: null },
    deciders: [
      { kind: 'member', id: randomUUID(), email: 'ada@example.com', way: 'console', sessionId: randomUUID(), at },
    ],
    decidedAt: at,
  };
}

export type ES256Passkey = ReturnType<typeof createES256Passkey>;

export function createES256Passkey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** The same claims, confirmed with a passkey as docs/receipts.md defines it. */
export function confirmClaims(claims: ReceiptClaims, { privateKey, publicKey }: ES256Passkey): ReceiptClaims {
  const [decider] = claims.deciders;
  if (decider?.kind !== 'member') throw new Error('only a member has a passkey');
  const nonce = randomBytes(16).toString('base64url');
  const { iss, accountId, approvalId, revision, contentHash } = claims;
  const statement = ['postrider-approval', iss, accountId, approvalId, revision, contentHash, 'approve'];
  const challenge = sha256(JSON.stringify([...statement, decider.id, nonce])).toString('base64url');
  const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin: ISSUER, crossOrigin: false }));
  const data = Buffer.concat([sha256(RP_ID), Buffer.from([0x05, 0, 0, 0, 0])]);
  const assertion: ReceiptAssertion = {
    credentialId: randomBytes(32).toString('base64url'),
    publicKey: toJwk(publicKey),
    ...{ rpId: RP_ID, nonce, confirmed: 'approve' },
    authenticatorData: data.toString('base64url'),
    clientDataJSON: client.toString('base64url'),
    signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
  };
  const approvers = { requirePasskey: true, count: 1, memberIds: null };
  return { ...claims, approvers, deciders: [{ ...decider, assertion }] };
}

function toJwk(key: KeyObject): ReceiptAssertion['publicKey'] {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return { kty: 'EC', crv: 'P-256', x, y };
}

function sha256(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}
