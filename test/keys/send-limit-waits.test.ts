import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let server: TestApp;
let key: string;
beforeAll(async () => {
  server = await startTestApp();
  const body = { name: 'Limited', scopes: ['full'], sendLimit: { hour: 1 } };
  key = (await server.call('POST', '/keys', { body })).body.key;
  expect((await server.send({}, { key })).status).toBe(202);
});
afterAll(() => server.close());

const item = { from: 'ada@sandbox.test', to: 'a@example.com', subject: 'Hi', text: 'Hi' };

describe('the refusal of a send limit', () => {
  it('names the limit and the seconds to wait', async () => {
    const refused = await server.send({}, { key });
    expectProblem(refused, 429, 'send_limit_reached');
    expect(refused.body.detail).toBe('The key may send 1 message an hour (UTC). The limit is used up.');
    expect(refused.body.fix).toBe(`Wait for ${refused.headers.get('retry-after')} s, then send again.`);
  });

  it('has the seconds to wait in the items of a batch, whose response has no header', async () => {
    const { body, headers } = await server.call('POST', '/emails/batch', { key, body: { emails: [item] } });
    const [{ error, retryAfterSeconds }] = body.results;
    expect([error.code, headers.get('retry-after')]).toEqual(['send_limit_reached', null]);
    expect(retryAfterSeconds).toBeGreaterThan(0);
    expect(error.fix).toBe(`Wait for ${retryAfterSeconds} s, then send again.`);
  });

  it('has the seconds to wait in a dry run', async () => {
    const { checks } = (await server.send({ dry_run: true }, { key })).body;
    const { fix } = checks.find(({ ok }: { ok: boolean }) => !ok);
    expect(fix).toMatch(/^Wait for \d+ s, then send again\.$/);
  });

  it('has no seconds to wait for an item that time does not help', async () => {
    const { body } = await server.call('POST', '/emails/batch', { key, body: { emails: [{ ...item, to: 'a' }] } });
    expect(body.results[0]).toEqual({ index: 0, ok: false, error: expect.objectContaining({ status: 422 }) });
  });
});
