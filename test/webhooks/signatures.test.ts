import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '@postrider/sdk';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

interface Caught {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Which of the secrets each of three independent verifiers accepts a delivery by. */
function acceptedBy(secrets: readonly string[], { headers, body }: Caught, now: Date): boolean[][] {
  const passes = (verify: () => unknown) => {
    try {
      verify();
      return true;
    } catch {
      return false;
    }
  };
  return secrets.map((secret) => [
    passes(() => verifyWebhook(body, headers, secret, { now })),
    passes(() => new StandardWebhook(secret).verify(body, headers)),
    passes(() => new SvixWebhook(secret).verify(body, headers)),
  ]);
}

const ALL = [true, true, true];
const NONE = [false, false, false];

describe('the signature of a delivery', () => {
  let server: TestApp;
  let receiver: Server;
  let url: string;
  let arrived: (caught: Caught) => void = () => undefined;
  beforeAll(async () => {
    server = await startTestApp();
    receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.writeHead(204).end();
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
      arrived({ headers: Object.fromEntries(headers), body: Buffer.concat(chunks).toString() });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`; // A TCP server that listens has no other kind of address.
  });
  afterAll(async () => {
    await server.close();
    receiver.close();
  });

  const delivered = async (id: string): Promise<Caught> => {
    const { promise, resolve } = Promise.withResolvers<Caught>();
    arrived = resolve;
    await server.call('POST', `/webhooks/${id}/test`);
    return await promise;
  };

  it('is accepted by three verifiers, by the old and the new secret for a day after a rotation, and by no other', {
    tags: ['events.signature', 'events.signature-headers'],
  }, async () => {
    const { body: made } = await server.call('POST', '/webhooks', { body: { url } });
    const other = `whsec_${Buffer.from('a secret that no endpoint has...').toString('base64')}`;
    const first = await delivered(made.id);
    expect(first.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': JSON.parse(first.body).id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(acceptedBy([made.secret, other], first, new Date())).toEqual([ALL, NONE]);
    const changed = { ...first, body: first.body.replace('webhook.test', 'webhook.tost') };
    expect(acceptedBy([made.secret], changed, new Date())).toEqual([NONE]);

    const { body: rotated } = await server.call('POST', `/webhooks/${made.id}/rotate`);
    const second = await delivered(made.id);
    expect(second.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    expect(acceptedBy([made.secret, rotated.secret, other], second, new Date())).toEqual([ALL, ALL, NONE]);

    server.clock.advance(24 * 3_600_000 + 1_000);
    const third = await delivered(made.id);
    const accepted = acceptedBy([made.secret, rotated.secret], third, server.clock.now());
    // The two libraries know this machine's clock alone, and it is a day behind.
    expect(accepted.map(([own]) => own)).toEqual([false, true]);
    expect(acceptedBy([rotated.secret], third, new Date())).toEqual([NONE]);
  });
});
