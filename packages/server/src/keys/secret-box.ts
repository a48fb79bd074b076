import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts what must not be readable in a dump of the database. */
export interface SecretBox {
  seal(plain: string): Buffer;
  /** Throws where the envelope was made under another key, or changed. */
  open(envelope: Uint8Array): string;
}

/** The keys of the installation; asked for at each use, since the key file of a development server changes beside it. */
export interface SecretKeys {
  /** 32 bytes; what is sealed from now on is sealed with it. */
  readonly secretKey: () => Buffer;
  /** Of 32 bytes each: what they sealed or signed is still opened and honoured. */
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

/** Seals with the present key, and opens what a former one sealed as well. */
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
      // The next one is tried: an envelope does not tell which key it is of.
    }
  }
  return null;
}
