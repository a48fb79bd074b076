import { hkdfSync } from 'node:crypto';

/**
 * The secret that streamed and simulated events are signed with for a key: derived and stored nowhere, so that it stays the same from one
 * session to the next, and ends with the key. No endpoint has it.
 * @param secretKey the installation's 32 bytes
 * @returns `whsec_` and 32 bytes in base64, as Standard Webhooks has it
 */
export function deriveListenerSecret(secretKey: Buffer, keyId: string): string {
  const bytes = hkdfSync('sha256', secretKey, '', `postrider webhook listener ${keyId}`, 32);
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
}
