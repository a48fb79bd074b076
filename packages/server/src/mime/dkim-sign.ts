import { hash, type KeyObject, sign } from 'node:crypto';
import type { ComposedMessage } from './compose-mime.ts';
import { type CanonicalMessage, canonicalizeMessage } from './dkim-canonical.ts';

/** A domain's signing key. */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** Parsed once and cached by the caller: parsing the PEM costs more than everything else here except the signature. */
  readonly privateKey: KeyObject;
  readonly algorithm: 'rsa-sha256' | 'ed25519-sha256';
}

/** The time in the signature's t= tag. The same time gives the same signature. */
export interface DkimOptions {
  readonly signedAt: Date;
}

/**
 * Signs a message (RFC 6376, RFC 8463 for Ed25519) in relaxed/relaxed form.
 * @returns the folded `DKIM-Signature` header line with its CRLF, to prepend to the message's header.
 */
export function signDkim(composed: ComposedMessage, key: DkimKey, options: DkimOptions): Promise<string> {
  return signCanonical(canonicalizeMessage(composed), key, options);
}

/**
 * Signs a message with each of several keys.
 * @returns the header lines in the order of the keys.
 */
export function signWithAll(
  message: CanonicalMessage,
  keys: readonly DkimKey[],
  options: DkimOptions,
): Promise<readonly string[]> {
  return Promise.all(keys.map((key) => signCanonical(message, key, options)));
}

/** The same as `signDkim` for a message that is already canonicalized: for a domain that signs with two keys. */
export async function signCanonical(message: CanonicalMessage, key: DkimKey, options: DkimOptions): Promise<string> {
  const lines = signatureLines(message, key, options.signedAt);
  // The signature covers its own header in relaxed form with an empty b=. Each fold counts as one space.
  const data = Buffer.from(`${message.signedHeaders}dkim-signature:${lines.join(' ')} b=`, 'latin1');
  const signature = await signData(data, key);
  return `DKIM-Signature: ${lines.join(FOLD)}${FOLD}${foldSignature(signature.toString('base64'))}\r\n`;
}

const FOLD = '\r\n ';
const LINE_LENGTH = 76;

function signatureLines(message: CanonicalMessage, key: DkimKey, signedAt: Date): string[] {
  return [
    `v=1; a=${key.algorithm}; c=relaxed/relaxed; d=${key.domain};`,
    `s=${key.selector}; t=${Math.floor(signedAt.getTime() / 1000)};`,
    ...foldNames(message.signedNames),
    `bh=${message.bodyHash};`,
  ];
}

/** The h= tag may be folded after its colons (RFC 6376 §3.5). */
function foldNames(names: readonly string[]): string[] {
  const lines: string[] = [];
  let line = 'h=';
  names.forEach((name, index) => {
    const token = `${name}${index < names.length - 1 ? ':' : ';'}`;
    if (line.length + token.length > LINE_LENGTH) {
      lines.push(line);
      line = '';
    }
    line += token;
  });
  lines.push(line);
  return lines;
}

function foldSignature(signature: string): string {
  let folded = `b=${signature.slice(0, LINE_LENGTH - 2)}`;
  for (let at = LINE_LENGTH - 2; at < signature.length; at += LINE_LENGTH) {
    folded += `${FOLD}${signature.slice(at, at + LINE_LENGTH)}`;
  }
  return folded;
}

function signData(data: Buffer, key: DkimKey): Promise<Buffer> {
  // RFC 8463 §3: Ed25519 signs the SHA-256 of the data. It takes less time than a round trip through the thread pool.
  if (key.algorithm === 'ed25519-sha256') {
    return Promise.resolve(sign(null, hash('sha256', data, 'buffer'), key.privateKey));
  }
  // With a callback, RSA runs in the thread pool and leaves the event loop free for 0.2 ms or more.
  return new Promise((resolve, reject) => {
    sign('sha256', data, key.privateKey, (error, signature) => (error === null ? resolve(signature) : reject(error)));
  });
}
