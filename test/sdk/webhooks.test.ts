import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Postrider, verifyWebhook, type WebhookEvent } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('webhooks of the SDK', () => {
  let server: TestApp;
  let client: Postrider;
  let receiver: Server;
  let url: string;
  beforeAll(async () => {
    server = await startTestApp();
    client = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    receiver = createServer((request, response) => {
      request.resume().once('end', () => response.writeHead(204).end());
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    url = `http://localhost:${(receiver.address() as AddressInfo).port}/`; // A TCP server that listens has no other kind of address.
  });
  afterAll(async () => {
    await server.close();
    receiver.close();
  });

  it('are called by the ids of their operations', { tags: ['contract-surfaces.sdk-webhooks'] }, async () => {
    const { id, secret } = await client.webhooks.create({ url, events: ['webhook.test'] });
    expect(secret).toMatch(/^whsec_/);
    expect((await client.webhooks.list()).data.map((each) => each.id)).toEqual([id]);
    expect(await client.webhooks.update(id, { description: 'Mine' })).toMatchObject({ id, description: 'Mine' });
    expect((await client.webhooks.rotate(id)).secret).not.toBe(secret);
    const { eventId } = await client.webhooks.test(id);
    const attempts = async () =>
      (await client.webhooks.deliveries(id, { event_id: eventId, status: 'succeeded' })).data;
    await expect.poll(attempts, { timeout: 10_000 }).toHaveLength(1);
    const [attempt] = await attempts();
    expect(await client.webhooks.retry(id, attempt?.id ?? '')).toEqual({ queued: 1 });
    const since = new Date(Date.now() - 60_000).toISOString();
    expect(await client.webhooks.replay(id, { since, dryRun: true })).toEqual({ wouldQueue: 1 });
    const { headers, payload, secret: other } = await client.webhooks.simulate({ url, event: 'domain.failed' });
    const event = verifyWebhook(payload, headers, other);
    if (event.type === 'domain.failed') expectTypeOf(event.data.name).toEqualTypeOf<string>();
    expect(event).toMatchObject({ type: 'domain.failed', data: { name: 'mail.example.com' } });
    expect(await client.webhooks.delete(id)).toMatchObject({ id, url });
  });

  it('stream the account’s events as they happen', async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of client.webhooks.stream({ events: 'email.queued' })) {
      const isReady = text === '';
      text += decoder.decode(chunk, { stream: true });
      if (isReady) await server.send();
      if (text.includes('event: email.queued')) break;
    }
    expect(text).toMatch(/^retry: 1000\nid: \S+\nevent: ready\n/);
  });

  it('have events whose data type follows from their type', () => {
    type Of<Type extends WebhookEvent['type']> = Extract<WebhookEvent, { type: Type }>['data'];
    expectTypeOf<Of<'email.bounced'>['classification']>().toEqualTypeOf<
      'hard' | 'soft' | 'block' | 'spam' | 'unknown' | null
    >();
    expectTypeOf<Of<'quota.threshold'>['used']>().toEqualTypeOf<number>();
    expectTypeOf<Of<'approval.requested'>['reasons']>().toExtend<readonly string[]>();
    // Every type of event is there, so none is missing from what verifyWebhook returns.
    expectTypeOf<WebhookEvent['type']>().toEqualTypeOf<import('@postrider/sdk').WebhookEventType>();
  });
});
