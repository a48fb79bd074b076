import { hash, randomBytes } from 'node:crypto';

/** Creates a link token: 256 random bits, of which the database stores only the hash. They cannot be guessed, so a fast hash is enough. */
export function createApprovalToken(): { readonly token: string; readonly hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashApprovalToken(token) };
}

const FORM = /^[\w-]{43}$/;

/** Returns null for malformed tokens, so that they never reach the database. */
export function readApprovalToken(token: string): Buffer | null {
  return FORM.test(token) ? hashApprovalToken(token) : null;
}

function hashApprovalToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
