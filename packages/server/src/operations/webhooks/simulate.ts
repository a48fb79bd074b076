import { LIMITS } from '@postrider/core';
import { makeSampleEvent } from '../../webhooks/sample-event.ts';
import { signWebhook, toSigningKey } from '../../webhooks/sign-webhook.ts';
import type { Handler } from '../context.ts';

/** Creates a signed sample event and, in development, posts it to the program on this machine that it is for. */
export const simulateWebhook: Handler<'webhooks.simulate'> = async (
  { body },
  { services: { database, webhooks }, caller, signal },
) => {
  const { clock, ids } = database;
  const { listening } = webhooks;
  const now = clock.now();
  const id = ids.next(now);
  const secret = listening.secretOf(caller.keyId);
  const payload = JSON.stringify(makeSampleEvent({ id, type: body.event ?? 'email.delivered', now }));
  const signature = signWebhook({ id, body: payload, keys: [toSigningKey(secret)], now });
  const headers = { 'content-type': 'application/json', ...signature };
  const request = { headers, payload, secret };
  if (listening.localClient === null) {
    return { body: { ok: true, delivered: false, statusCode: null, durationMs: null, error: null, ...request } };
  }
  const began = performance.now();
  const response = await listening.localClient.request({
    url: body.url,
    method: 'POST',
    headers,
    body: payload,
    maxBytes: LIMITS.webhookResponseBytes,
    signal,
  });
  const durationMs = Math.round(performance.now() - began);
  const statusCode = response.kind === 'responded' ? response.status : null;
  const ok = statusCode !== null && statusCode >= 200 && statusCode < 300;
  const error = response.kind === 'responded' ? null : response.reason;
  return { body: { ok, delivered: statusCode !== null, statusCode, durationMs, error, ...request } };
};
