import { hash, randomBytes } from 'node:crypto';

/** The token of a link: 256 random bits, of which the database has the hash alone. A fast one serves: there is nothing to guess. */
export function createApprovalToken(): { readonly token: string; readonly hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashApprovalToken(token) };
}

const FORM = /^[\w-]{43}$/;

/** Null for what no token looks like, so that junk never reaches the database. */
export function readApprovalToken(token: string): Buffer | null {
  return FORM.test(token) ? hashApprovalToken(token) : null;
}

function hashApprovalToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
