import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

/** A new signing secret, as Standard Webhooks writes it. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export function toSigningKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));
}

// Header names as a type, so that they can be put beside others.
export type SignatureHeaders = Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;

/**
 * The headers of a delivery: a signature by every key, the newest first, over id, time and body (Standard Webhooks 1.0.0). The time is that
 * of the attempt, since receivers refuse old ones.
 */
export function signWebhook({
  id,
  body,
  keys,
  now,
}: {
  readonly id: string;
  readonly body: string;
  readonly keys: readonly KeyObject[];
  readonly now: Date;
}): SignatureHeaders {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
