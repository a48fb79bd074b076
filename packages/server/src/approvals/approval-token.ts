import { createHmac, hash, randomBytes } from 'node:crypto';
import { deriveKeys } from '../derived-keys.ts';

/** The token of a link: 256 random bits, of which the database has the hash alone. A fast one serves: there is nothing to guess. */
export function createApprovalToken(): { readonly token: string; readonly hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashApprovalToken(token) };
}

/** What a link decides, and for whom. */
export interface ApprovalLinkSubject {
  readonly accountId: string;
  readonly approvalId: string;
  readonly revision: number;
  readonly memberId: string;
}

export type OpenedApprovalTokens = (subject: ApprovalLinkSubject) => { readonly token: string; readonly hash: Buffer };

/**
 * The tokens of links that people have made for themselves by signing in: of one hold, revision and person it is always the same one, so that
 * however often a page is loaded there is one link. Nobody without the key can tell it from a random one.
 * @param secretKey the installation's 32 bytes, of which a key for this purpose alone is derived
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

/** Null for what no token looks like, so that junk never reaches the database. */
export function readApprovalToken(token: string): Buffer | null {
  return FORM.test(token) ? hashApprovalToken(token) : null;
}

function hashApprovalToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
