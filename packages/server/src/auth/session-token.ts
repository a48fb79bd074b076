import { hash, randomBytes } from 'node:crypto';

/** So that it is told from a key at once, and found by scanners of secrets. */
const PREFIX = 'prs_';
const FORM = /^prs_[\w-]{43}$/;

export interface NewToken {
  readonly token: string;
  /** What is stored of it. A fast hash serves: there is nothing to guess in 256 random bits. */
  readonly hash: Buffer;
}

/** A session's token: 256 random bits. */
export function createSessionToken(): NewToken {
  const token = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

export function isSessionToken(text: string): boolean {
  return FORM.test(text);
}

/** Whether text was meant to be one, cut short or changed as it may be. */
export function looksLikeSessionToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** A secret of 256 random bits that is good for a moment: of a link, a browser, a device. */
export function createSecret(): NewToken {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
