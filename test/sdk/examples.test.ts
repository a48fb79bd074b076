import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { notifyAll } from './examples/batch.ts';
import { trySending } from './examples/errors.ts';
import { countBytes } from './examples/exports.ts';
import { subjectsOf } from './examples/lists.ts';
import { askTwoThings } from './examples/responses.ts';
import { welcome } from './examples/send.ts';
import { problem, startScriptedServer } from './scripted-server.ts';

const DOCUMENT = readFileSync(path.resolve(import.meta.dirname, '../../docs/sdk.md'), 'utf8');

describe('the examples of docs/sdk.md', () => {
  let server: TestApp;
  let postrider: Postrider;
  beforeAll(async () => {
    server = await startTestApp();
    postrider = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
  });
  afterAll(() => server.close());

  it.each(['send', 'batch', 'errors', 'lists', 'exports', 'responses'])(
    '%s is the same as the code run here',
    (name) => {
      const text = readFileSync(path.join(import.meta.dirname, `examples/${name}.ts`), 'utf8');
      expect(DOCUMENT).toContain(`\`\`\`ts\n${text}\`\`\`\n`);
    },
  );

  it('follow the oldest Node that the package supports', () => {
    const manifest = readFileSync(path.resolve(import.meta.dirname, '../../packages/sdk/package.json'), 'utf8');
    expect(DOCUMENT).toContain(`Node ${JSON.parse(manifest).engines.node.replace('>=', '')} or later`);
  });

  it('do what they say', async () => {
    expect(await welcome(server.key, server.baseUrl)).toBe('delivered');
    expect(await trySending(postrider, 'delivered@sandbox.test')).toMatch(/^[0-9a-f-]{36}$/);
    await server.call('POST', '/suppressions', { body: { email: 'gone@example.com' } });
    expect(await trySending(postrider, 'gone@example.com')).toBe('gone@example.com: recipient_suppressed');
    expect(await trySending(postrider, 'nobody')).toMatch(/\(request .+\)$/);
    expect(await notifyAll(postrider, ['delivered@sandbox.test', 'gone@example.com'])).toEqual([
      expect.stringMatching(/^sent as [0-9a-f-]{36}$/),
      expect.stringMatching(/^recipient_suppressed: /),
    ]);
    for (const subject of ['One', 'Two', 'Three']) await server.send({ subject, tags: ['listed'] });
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    expect(await subjectsOf(postrider, 'listed')).toEqual(['Three', 'Two', 'One']);
    expect(log.mock.calls).toEqual([[expect.stringMatching(/^2 of 3, further ones from \S+$/)]]);
    log.mockRestore();
    expect(await countBytes(postrider)).toBeGreaterThan(100);
    const result = await askTwoThings(postrider, AbortSignal.timeout(10_000));
    expect(result).toMatch(/^Acme: request \S+, \d+ of \d+ left$/);
  });
});

const RATE = { 'ratelimit-policy': '"key";q=600;w=60', ratelimit: '"key";r=599;t=1', 'x-request-id': 'req-7' };
const STATE = { limit: 600, windowSeconds: 60, remaining: 599, resetSeconds: 1 };

describe('every result', () => {
  const ask = async (reply: Parameters<typeof startScriptedServer>[0][number]) => {
    const server = await startScriptedServer([reply]);
    return { server, client: new Postrider({ apiKey: 'pr_live_test', baseUrl: server.baseUrl, maxRetries: 0 }) };
  };

  it('has the request id and the rate limit: responses, pages, files and errors', async () => {
    const one = await ask({ status: 200, headers: RATE, body: { name: 'Acme' } });
    await using _one = one.server;
    const call = one.client.account.get();
    expect(await call.withResponse()).toMatchObject({ data: { name: 'Acme' }, requestId: 'req-7', rateLimit: STATE });
    expect(await call).toEqual({ name: 'Acme' });
    expect(one.server.received).toHaveLength(1);

    const page = { messages: [], total: 0, totalIsEstimate: false, nextCursor: null };
    const two = await ask({ status: 200, headers: RATE, body: page });
    await using _two = two.server;
    expect(await two.client.emails.list()).toMatchObject({ requestId: 'req-7', rateLimit: STATE });

    const three = await ask({ status: 200, headers: { ...RATE, 'content-type': 'text/csv' }, body: 'id' });
    await using _three = three.server;
    expect(await three.client.emails.export()).toMatchObject({ requestId: 'req-7', rateLimit: STATE });

    const four = await ask(problem(404, 'not_found', {}, RATE));
    await using _four = four.server;
    const refused = four.client.emails.get('x');
    await expect(refused.withResponse()).rejects.toMatchObject({ requestId: 'req-1', rateLimit: STATE });
  });

  it('is null when the response does not contain it', async () => {
    const { server, client } = await ask({ status: 200, body: { name: 'Acme' } });
    await using _server = server;
    expect(await client.account.get().withResponse()).toMatchObject({ requestId: null, rateLimit: null });
  });

  it('is available under the former name of the method too', async () => {
    const { server, client } = await ask({ status: 200, body: { name: 'Acme' } });
    await using _server = server;
    expect(await client.account.get().withAnswer()).toMatchObject({ data: { name: 'Acme' } });
  });
});
