import { createHmac, hash, randomBytes } from 'node:crypto';
import { deriveKeys } from '../derived-keys.ts';

/** Creates a link token: 256 random bits, of which the database stores only the hash. They cannot be guessed, so a fast hash is enough. */
export function createApprovalToken(): { readonly token: string; readonly hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashApprovalToken(token) };
}

/** The hold and revision that a link decides, and the member who decides with it. */
export interface ApprovalLinkSubject {
  readonly accountId: string;
  readonly approvalId: string;
  readonly revision: number;
  readonly memberId: string;
}

export type OpenedApprovalTokens = (subject: ApprovalLinkSubject) => { readonly token: string; readonly hash: Buffer };

/**
 * Derives the tokens of links that users create by signing in. The token for a hold, revision and member is always the same, so loading the
 * page often still creates only one link. Without the secret key, a token cannot be distinguished from a random one.
 * @param secretKey the installation's 32-byte key, from which a key for this purpose only is derived
 */
export function createOpenedApprovalTokens(secretKey: Buffer): OpenedApprovalTokens {
  const { present } = deriveKeys('postrider opened approvals', secretKey, []);
  return ({ accountId, approvalId, revision, memberId }) => {
    const named = JSON.stringify([accountId, approvalId, revision, memberId]);
    const token = createHmac('sha256', present).update(named).digest('base64url');
    return { token, hash: hashApprovalToken(token) };
  };
}

const FORM = /^[\w-]{43}$/;

/** Returns null for malformed tokens, so that they never reach the database. */
export function readApprovalToken(token: string): Buffer | null {
  return FORM.test(token) ? hashApprovalToken(token) : null;
}

function hashApprovalToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
