import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('POST /emails', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  it('answers 202 with an id and `queued`, and delivers afterwards', async () => {
    const sent = await server.send();
    expect(sent.status).toBe(202);
    expect(sent.body).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'queued' });
    const read = await server.settled(sent.body.id);
    expect(read.body.status).toBe('delivered');
    expect(read.body.events.map((event: { type: string }) => event.type)).toEqual(['queued', 'sent', 'delivered']);
  });
});
