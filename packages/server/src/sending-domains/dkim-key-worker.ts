import { generateKeyPairSync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { GeneratedDkimKey } from './dkim-key.ts';

/** The thread that generates one RSA key and exits. Started by dkim-key.ts. */
const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'der' },
});
const key: GeneratedDkimKey = { privateKeyPem: privateKey, publicKeyBase64: publicKey.toString('base64') };
parentPort?.postMessage(key);
