import { hkdfSync } from 'node:crypto';

/**
 * The secret that signs streamed and simulated events for a key. It is derived and not stored, so that it stays the same
 * between sessions and ends with the key. No endpoint has it.
 * @param secretKey the installation's 32 bytes
 * @returns `whsec_` and 32 bytes in base64, in the format of Standard Webhooks
 */
export function deriveListenerSecret(secretKey: Buffer, keyId: string): string {
  const bytes = hkdfSync('sha256', secretKey, '', `postrider webhook listener ${keyId}`, 32);
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
}
