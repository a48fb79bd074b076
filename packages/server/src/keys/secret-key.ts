import { hkdfSync } from 'node:crypto';

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
