import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let server: TestApp;
let heldKey: string;

beforeAll(async () => {
  server = await startTestApp();
  const body = { name: 'Held', scopes: ['emails:send', 'emails:read', 'emails:content'], approvalMode: 'always' };
  heldKey = (await server.call('POST', '/keys', { body })).body.key;
});
afterAll(async () => {
  await server.close();
});

const HTML = '<p>Pay at <a href="https://evil.example/pay">https://bank.example/pay</a></p>';

async function holdOf(html: string): Promise<string> {
  return (await server.send({ html }, { key: heldKey })).body.approvalId;
}

describe('GET /keys/approvals/:id with review=true', () => {
  it('returns what an approver should look at, read from the whole message', async () => {
    const id = await holdOf(`${'<p>long</p>'.repeat(6_000)}${HTML}`);
    const { status, body } = await server.call('GET', `/keys/approvals/${id}?review=true`, { key: heldKey });
    expect(status).toBe(200);
    expect(body.review).toMatchObject({
      findings: [{ kind: 'text-differs', level: 'danger', target: 'https://evil.example/pay' }],
      links: [{ text: 'https://bank.example/pay', target: 'https://evil.example/pay' }],
      linkCount: 1,
      bodyIsCut: true,
    });
    expect(body.review.body.length).toBeLessThanOrEqual(20_000);
  });

  it('returns no review without it', async () => {
    const { body } = await server.call('GET', `/keys/approvals/${await holdOf(HTML)}`, { key: heldKey });
    expect(body).not.toHaveProperty('review');
  });

  it('says nothing about content that the caller may not see', async () => {
    const { body: first } = await server.send({ html: HTML }, { key: server.key });
    const { body: again } = await server.call('POST', `/emails/${first.id}/resend`, { key: heldKey });
    const { body } = await server.call('GET', `/keys/approvals/${again.approvalId}?review=true`, { key: heldKey });
    expect(body.contentHash).toBeNull();
    expect(body.review).toEqual({ findings: [], links: [], linkCount: 0, body: null, bodyIsCut: false });
  });

  it('rejects other values than true and false', async () => {
    const { status } = await server.call('GET', `/keys/approvals/${await holdOf(HTML)}?review=1`, { key: heldKey });
    expect(status).toBe(422);
  });
});
