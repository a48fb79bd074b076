import { hash, randomBytes } from 'node:crypto';

/** Distinguishes session tokens from keys, and lets secret scanners find them. */
const PREFIX = 'prs_';
const FORM = /^prs_[\w-]{43}$/;

export interface NewToken {
  readonly token: string;
  /** The stored hash. 256 random bits cannot be guessed, so a fast hash is enough. */
  readonly hash: Buffer;
}

/** Creates a session token: 256 random bits. */
export function createSessionToken(): NewToken {
  const token = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

export function isSessionToken(text: string): boolean {
  return FORM.test(text);
}

/** Whether the text was meant to be a session token, even if it is truncated or altered. */
export function looksLikeSessionToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Creates a short-lived secret of 256 random bits, for a link, a browser or a device. */
export function createSecret(): NewToken {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
