import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32;

/** A new signing secret, in the format of Standard Webhooks. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export function toSigningKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));
}

/** The time of an attempt as its headers and its signature contain it: in whole seconds since 1970. */
export function webhookTimestamp(at: Date): string {
  return String(Math.floor(at.getTime() / 1_000));
}

// A type with literal header names, so that they can be combined with others.
export type SignatureHeaders = Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;

/**
 * The headers of a delivery: a signature with every key, the newest first, over id, time and body (Standard Webhooks
 * 1.0.0). The time is that of the attempt, because receivers reject old ones.
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
  const timestamp = webhookTimestamp(now);
  const content = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
