import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyMode } from '@postrider/core';

export interface NewApiKey {
  /** The whole secret; shown once, never stored. */
  readonly secret: string;
  readonly hash: Buffer;
  readonly last4: string;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 33 base62 characters hold 196 bits. */
const RANDOM_CHARACTERS = 33;
const CHECKSUM_CHARACTERS = 6;
const KEY_FORM = /^pr_(?:live|test)_[0-9A-Za-z]{39}$/;
const ACCESS_TOKEN_FORM = /^pr_access_[0-9A-Za-z]{39}$/;

export function keyPrefix(mode: KeyMode): string {
  return `pr_${mode}_`;
}

/** Creates a key: a prefix, at least 192 random bits in base62, and a CRC32 so that a mistyped key never reaches the database. */
export function createApiKey(mode: KeyMode): NewApiKey {
  const secret = createSecret(keyPrefix(mode));
  return { secret, hash: hashApiKey(secret), last4: secret.slice(-4) };
}

/** Creates an access token or a refresh token, in the form of keys. */
export function createToken(kind: 'access' | 'refresh'): string {
  return createSecret(`pr_${kind}_`);
}

/** Whether the text has the form and checksum of a key. This does not mean that the key exists. */
export function isWellFormedKey(text: string): boolean {
  return KEY_FORM.test(text) && hasChecksum(text);
}

/** The same for an access token. */
export function isWellFormedAccessToken(text: string): boolean {
  return ACCESS_TOKEN_FORM.test(text) && hasChecksum(text);
}

function createSecret(prefix: string): string {
  const head = `${prefix}${randomBase62(RANDOM_CHARACTERS)}`;
  return `${head}${checksumOf(head)}`;
}

function hasChecksum(text: string): boolean {
  return checksumOf(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS);
}

/** The hash that is stored. 196 random bits cannot be guessed, so a fast hash is enough. */
export function hashApiKey(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function checksumOf(head: string): string {
  let rest = crc32(head);
  let text = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = `${BASE62[rest % 62]}${text}`;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Discards bytes of 248 and above, so that every character is equally likely. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}
