import { hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES = 32;

/**
 * The 32-byte key of a setting's text: hex or base64 of exactly 32 bytes as they are, any other text of at least 32 characters through
 * HKDF-SHA-256. Null where the text is too short to be a secret.
 */
export function toSecretKey(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) return Buffer.from(text, 'base64');
  return text.length < BYTES ? null : Buffer.from(hkdfSync('sha256', text, '', 'postrider secrets at rest', BYTES));
}

/** Where the key lies that no setting gives. */
export function secretKeyFile(dataDir: string): string {
  return join(dataDir, 'secret.key');
}

/** Made once, kept beside the data it protects: good enough for development, where both lie on the same disk anyway. */
export function readOrMakeSecretKey(dataDir: string): Buffer {
  const path = secretKeyFile(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, randomBytes(32).toString('base64'), { mode: 0o600 });
  try {
    // A link is made whole or not at all, and only once: of two processes that start together both read what one wrote.
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return Buffer.from(readFileSync(path, 'utf8'), 'base64');
}
