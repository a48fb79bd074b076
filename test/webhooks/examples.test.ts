import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { app as expressApp } from './examples/express.ts';
import { app as fastifyApp } from './examples/fastify.ts';
import { app as honoApp } from './examples/hono.ts';
import { POST } from './examples/next.ts';

const DOCUMENT = readFileSync(path.resolve(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const SECRET = `whsec_${Buffer.from('the secret of the documentation!').toString('base64')}`;
const BODY = JSON.stringify({
  id: 'e1',
  type: 'email.bounced',
  createdAt: '2026-01-01T00:00:00.000Z',
  apiVersion: '1',
  data: { recipient: 'ada@example.org', classification: 'hard', subject: 'Grüße' },
});

function signed(body = BODY, secret = SECRET): RequestInit & { headers: Record<string, string> } {
  const at = new Date();
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'e1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('e1', at, body),
  };
  return { method: 'POST', body, headers };
}

describe('the examples of docs/webhooks.md', () => {
  const servers: Server[] = [];
  const ask: Record<string, (init: RequestInit) => Promise<Response>> = {
    hono: async (init) => await honoApp.request('/webhooks/postrider', init),
    next: (init) => POST(new Request('http://localhost/webhooks/postrider', init)),
  };
  beforeAll(async () => {
    vi.stubEnv('POSTRIDER_WEBHOOK_SECRET', SECRET);
    await fastifyApp.ready();
    const listeners = {
      express: expressApp,
      fastify: (...given: Parameters<typeof fastifyApp.routing>) => fastifyApp.routing(...given),
    };
    for (const [name, listener] of Object.entries(listeners)) {
      const server = createServer(listener).listen(0, '127.0.0.1');
      servers.push(server);
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // A TCP server that listens has no other kind of address.
      ask[name] = (init) => fetch(`http://127.0.0.1:${port}/webhooks/postrider`, init);
    }
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    for (const server of servers) server.close();
    await fastifyApp.close();
  });

  it.each(['express', 'fastify', 'hono', 'next'])(
    '%s accepts a signed event and rejects a forged one',
    async (name) => {
      const text = readFileSync(path.join(import.meta.dirname, `examples/${name}.ts`), 'utf8');
      expect(DOCUMENT).toContain(`\`\`\`ts\n${text}\`\`\`\n`);
      const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
      const respond = async (init: RequestInit) => {
        const response = await ask[name]?.(init);
        return [response?.status, await response?.text()];
      };
      expect(await respond(signed())).toEqual([204, '']);
      expect(log.mock.calls).toEqual([['ada@example.org bounced (hard)']]);
      log.mockRestore();
      const other = `whsec_${Buffer.from('another').toString('base64')}`;
      expect(await respond(signed(BODY, other))).toEqual([400, 'webhook_signature_mismatch']);
      expect(await respond({ ...signed(), body: BODY.replace('hard', 'soft') })).toEqual([
        400,
        'webhook_signature_mismatch',
      ]);
      const { 'webhook-id': _, ...headers } = signed().headers;
      expect(await respond({ ...signed(), headers })).toEqual([400, 'webhook_header_missing']);
    },
  );
});
