import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../harness/webhook-receiver.ts';

const UNKNOWN = '0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a';

describe('GET /webhooks/:id/deliveries/:deliveryId', () => {
  let server: TestApp;
  let receiver: WebhookReceiver;
  let id: string;
  beforeAll(async () => {
    server = await startTestApp();
    receiver = await startWebhookReceiver();
    id = await endpoint(['suppression.added']);
  });
  afterAll(async () => {
    await server.close();
    await receiver.close();
  });

  const endpoint = async (events: readonly string[], key = server.key): Promise<string> =>
    (await server.call('POST', '/webhooks', { key, body: { url: `${receiver.url}/secret`, events } })).body.id;
  const read = (deliveryId: string, key = server.key, endpointId = id) =>
    server.call('GET', `/webhooks/${endpointId}/deliveries/${deliveryId}`, { key });

  /** The ids of the attempts at an event, the newest first, once the first was made and the last one has this status. */
  async function attempts(eventId: string, status: string, endpointId = id): Promise<string[]> {
    for (;;) {
      const path = `/webhooks/${endpointId}/deliveries?event_id=${eventId}`;
      const { deliveries } = (await server.call('GET', path)).body;
      if (deliveries[0]?.status === status && deliveries.at(-1).status !== 'pending')
        return deliveries.map(({ id: attempt }: { readonly id: string }) => attempt);
    }
  }
  const tested = async (status: number, last: string) => {
    receiver.respond(status);
    const { eventId } = (await server.call('POST', `/webhooks/${id}/test`)).body;
    return { eventId: eventId as string, ids: await attempts(eventId, last) };
  };

  it('shows the request as it was sent, without its signature, and the response', {
    tags: ['webhooks.delivery-request'],
  }, async () => {
    const { eventId, ids } = await tested(200, 'succeeded');
    const { status, body } = await read(ids[0] ?? '');
    const received = await receiver.first(({ event }) => event.id === eventId);
    expect([status, body]).toEqual([
      200,
      {
        ...{ id: ids[0], eventId, eventType: 'webhook.test', attempt: 1, status: 'succeeded', statusCode: 200 },
        ...{ error: null, durationMs: expect.any(Number), responseBody: 'noted', createdAt: expect.any(String) },
        nextAttemptAt: null,
        request: {
          url: `${receiver.url}/secret`,
          headers: {
            'content-type': 'application/json',
            'webhook-id': eventId,
            'webhook-timestamp': received.headers['webhook-timestamp'],
          },
          body: received.body,
        },
      },
    ]);
    expect(received.headers).toMatchObject({ ...body.request.headers, 'webhook-signature': expect.any(String) });
  });

  it('shows what a pending attempt will send, and no time of a signature', async () => {
    const [pending = '', failed = ''] = (await tested(500, 'pending')).ids;
    const { request, ...waiting } = (await read(pending)).body;
    expect(waiting).toMatchObject({ status: 'pending', statusCode: null, responseBody: null });
    expect(Object.keys(request.headers)).toEqual(['content-type', 'webhook-id']);
    const made = (await read(failed)).body;
    expect(made).toMatchObject({ status: 'failed', statusCode: 500, error: 'The endpoint responded with 500.' });
    expect(made.request.body).toBe(request.body);
    receiver.respond(200);
  });

  it('masks the URL and hides the response without webhooks:write', async () => {
    const { ids } = await tested(200, 'succeeded');
    const { body } = await read(ids[0] ?? '', await server.newKey({ scopes: ['webhooks:read'] }));
    expect(body.responseBody).toBeNull();
    expect(body.request.url).toMatch(/\/\*\*\*$/);
    expect(JSON.stringify(body)).not.toContain('/secret');
    expectProblem(await read(ids[0] ?? '', await server.newKey({ scopes: ['emails:read'] })), 403, 'missing_scope');
  });

  it('shows no more than the key behind the URL was sent', async () => {
    const scopes = ['webhooks:write', 'webhooks:read', 'emails:read'];
    const own = await endpoint(['email.delivered'], await server.newKey({ scopes }));
    await server.send({
      ...{ from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hi', text: 'Hi' },
      bcc: 'delivered+hidden@sandbox.test',
    });
    const { event, body: sent } = await receiver.first(
      ({ event: { type, data } }) => type === 'email.delivered' && data.recipient === null,
    );
    const [attempt = ''] = await attempts(event.id, 'succeeded', own);
    const { request } = (await read(attempt, server.key, own)).body;
    expect(request.body).toBe(sent);
    expect(request.body).not.toContain('hidden');
    // A receiver with an unrestricted endpoint gets all of it, and a reader with fewer rights does not.
    const all = await endpoint(['email.delivered']);
    const replay = { since: event.createdAt, events: ['email.delivered'], ids: [event.id], status: 'failed' };
    await server.call('POST', `/webhooks/${all}/replay`, { body: replay });
    const [whole = ''] = await attempts(event.id, 'succeeded', all);
    expect((await read(whole, server.key, all)).body.request.body).toContain('hidden');
    const reader = await server.newKey({ scopes: ['webhooks:read', 'emails:read'] });
    expect((await read(whole, reader, all)).body.request.body).not.toContain('hidden');
  });

  it('has no body once the event is no longer stored', async () => {
    const { eventId, ids } = await tested(200, 'succeeded');
    await server.database.sql`DELETE FROM webhook_events WHERE id = ${eventId}`;
    const { status, body } = await read(ids[0] ?? '');
    expect([status, body.request.body, body.responseBody]).toEqual([200, null, 'noted']);
  });

  it('finds no delivery of another endpoint, and none that does not exist', async () => {
    const { ids } = await tested(200, 'succeeded');
    const other = await endpoint(['webhook.test']);
    expectProblem(await read(ids[0] ?? '', server.key, other), 404, 'not_found');
    expectProblem(await read(UNKNOWN), 404, 'not_found');
    expectProblem(await read('7'), 404, 'not_found');
    expectProblem(await read(ids[0] ?? '', server.key, UNKNOWN), 404, 'not_found');
  });
});
