import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

/** A new signing key: the private half to store encrypted, the public half to publish. */
export interface GeneratedDkimKey {
  /** PKCS #8 in PEM. */
  readonly privateKeyPem: string;
  /** The value of the `p=` tag: for RSA the SubjectPublicKeyInfo (RFC 6376 §3.6.1), for Ed25519 the bare 32 bytes (RFC 8463 §4.2). */
  readonly publicKeyBase64: string;
}

/**
 * Generates a 2048-bit RSA key, as RFC 8301 §3.2 recommends. 4096 bits would take six times as long to sign, and some DNS hosts refuse the
 * record. It takes a few hundred milliseconds in a separate thread: in libuv's pool, a few at once would delay every signature of the
 * process.
 */
export function generateDkimKey(): Promise<GeneratedDkimKey> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile(), { env: {} });
    worker.once('message', (key: GeneratedDkimKey) => resolve(key));
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the key generation thread ended without a key')));
  });
}

/** Next to this file, both in the sources and in the compiled output. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './dkim-key-worker.ts' : './dkim-key-worker.js', import.meta.url);
}

const ED25519_BYTES = 32;

/** Generates an Ed25519 key (RFC 8463), which takes about fifty microseconds. */
export async function generateEd25519Key(): Promise<GeneratedDkimKey> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  // The SubjectPublicKeyInfo of RFC 8410 ends with the bytes of the key.
  return { privateKeyPem: privateKey, publicKeyBase64: publicKey.subarray(-ED25519_BYTES).toString('base64') };
}

/** The value of the TXT record that publishes a key (RFC 6376 §3.6.1), as one string. */
export function dkimRecordValue(publicKeyBase64: string, algorithm: 'rsa' | 'ed25519' = 'rsa'): string {
  return `v=DKIM1; k=${algorithm}; p=${publicKeyBase64}`;
}
