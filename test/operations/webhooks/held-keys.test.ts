import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { holdingKey } from '../../approvals/approving.ts';
import { expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../harness/webhook-receiver.ts';
import { connectTo } from '../../mcp/connect.ts';

const TOOLS = [
  ...['create_webhook', 'update_webhook', 'rotate_webhook', 'delete_webhook'],
  ...['test_webhook', 'replay_webhook', 'retry_webhook_delivery', 'simulate_webhook'],
];

describe.each([
  ['a key in approval mode', { approvalMode: 'always', scopes: ['webhooks:read', 'webhooks:write', 'emails:send'] }],
  ['a test key', { approvalMode: 'off', mode: 'test', scopes: ['webhooks:read', 'webhooks:write', 'emails:send'] }],
])('webhooks and %s', (_kind, fields) => {
  let server: TestApp;
  let canary: WebhookReceiver;
  let key: string;
  let id: string;
  let delivery: { readonly id: string; readonly eventId: string };
  let received: number;
  beforeAll(async () => {
    server = await startTestApp();
    canary = await startWebhookReceiver(500);
    key = (await holdingKey(server, fields)).key;
    id = (await server.call('POST', '/webhooks', { body: { url: canary.url, events: ['webhook.test'] } })).body.id;
    await server.call('POST', `/webhooks/${id}/test`);
    const list = async () => (await server.call('GET', `/webhooks/${id}/deliveries?status=failed`)).body;
    await vi.waitFor(async () => expect((await list()).total).toBe(1), { timeout: 10_000 });
    [delivery] = (await list()).deliveries;
    received = canary.received.length;
  });
  afterAll(async () => {
    await server.close();
    await canary.close();
  });

  const since = new Date(Date.now() - 60_000).toISOString();

  it('reject every change and every delivery over REST', { tags: ['holes.held-webhooks'] }, async () => {
    const calls: [string, string, unknown?][] = [
      ['POST', '/webhooks', { url: `${canary.url}/mine` }],
      ['PATCH', `/webhooks/${id}`, { url: `${canary.url}/mine` }],
      ['PATCH', `/webhooks/${id}`, { events: [] }],
      ['POST', `/webhooks/${id}/rotate`],
      ['POST', `/webhooks/${id}/test`],
      ['POST', `/webhooks/${id}/replay`, { since }],
      ['POST', `/webhooks/${id}/deliveries/${delivery.id}/retry`],
      ['POST', '/webhooks/simulate', { url: canary.url, event: 'email.bounced' }],
      ['DELETE', `/webhooks/${id}`],
    ];
    for (const [method, path, body] of calls) {
      const refused = await server.call(method, path, { key, body });
      expect([method, path, refused.status]).toEqual([method, path, 403]);
      expectProblem(refused, 403, 'permission_escalation');
      expect(refused.body.fix).toBeTruthy();
    }
    await unchanged();
  });

  it('reject them in the SDK', { tags: ['holes.held-webhooks'] }, async () => {
    const { webhooks } = new Postrider({ apiKey: key, baseUrl: server.baseUrl });
    for (const call of [
      () => webhooks.create({ url: canary.url }),
      () => webhooks.update(id, { url: canary.url }),
      () => webhooks.rotate(id),
      () => webhooks.test(id),
      () => webhooks.replay(id, { since }),
      () => webhooks.retry(id, delivery.id),
      () => webhooks.simulate({ url: canary.url, event: 'email.bounced' }),
      () => webhooks.delete(id),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'permission_escalation' });
    }
    await unchanged();
  });

  it('list no tool for them over MCP, and reject a call anyway', { tags: ['holes.held-webhooks'] }, async () => {
    const tools = await connectTo(server, 'toolsets=webhooks', key);
    expect((await tools.list()).filter((name) => TOOLS.includes(name))).toEqual([]);
    const given: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      create_webhook: { url: canary.url },
      update_webhook: { id, url: canary.url },
      replay_webhook: { id, since },
      retry_webhook_delivery: { id, deliveryId: delivery.id },
      simulate_webhook: { url: canary.url, event: 'email.bounced' },
    };
    for (const name of TOOLS) {
      const response = await tools
        .call(name, given[name] ?? { id })
        .catch((error: unknown) => ({ text: String(error) }));
      expect(response.text, name).toMatch(/permission_escalation|may not call|not found|unknown tool/i);
    }
    await tools.close();
    await unchanged();
  });

  async function unchanged(): Promise<void> {
    const { body } = await server.call('GET', '/webhooks');
    expect(body.webhooks).toMatchObject([{ id, url: canary.url, events: ['webhook.test'], status: 'enabled' }]);
    expect(canary.received.length).toBe(received);
  }
});
