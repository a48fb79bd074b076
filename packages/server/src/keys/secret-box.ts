import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts what must not be readable in a dump of the database. */
export interface SecretBox {
  seal(plain: string): Buffer;
  /** Throws if the envelope was sealed with another key, or altered. */
  open(envelope: Uint8Array): string;
}

/** The keys of the installation. Read at each use, because the key file of a development server can change while it runs. */
export interface SecretKeys {
  /** The 32-byte key that seals new secrets. */
  readonly secretKey: () => Buffer;
  /** Former keys of 32 bytes each. What they sealed or signed is still accepted. */
  readonly formerSecretKeys: () => readonly Buffer[];
}

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM envelopes: version, nonce, tag, ciphertext. The key is 32 bytes. */
export function createSecretBox(key: Buffer): SecretBox {
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), body]);
    },
    open(envelope) {
      const bytes = Buffer.from(envelope);
      if (bytes[0] !== VERSION) throw new Error('The secret has an unknown envelope version.');
      const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
      const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce);
      decipher.setAuthTag(tag);
      const body = bytes.subarray(1 + NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
  };
}

/** Seals with the present key, and also opens what a former key sealed. */
export function createInstallationBox({ secretKey, formerSecretKeys }: SecretKeys): SecretBox {
  return {
    seal: (plain) => createSecretBox(secretKey()).seal(plain),
    open(envelope) {
      try {
        return createSecretBox(secretKey()).open(envelope);
      } catch (error) {
        const plain = openWithAny(formerSecretKeys(), envelope);
        if (plain === null) throw error;
        return plain;
      }
    },
  };
}

function openWithAny(keys: readonly Buffer[], envelope: Uint8Array): string | null {
  for (const key of keys) {
    try {
      return createSecretBox(key).open(envelope);
    } catch {
      // Try the next key: an envelope does not say which key sealed it.
    }
  }
  return null;
}
