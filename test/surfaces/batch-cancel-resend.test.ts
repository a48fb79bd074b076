import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const SEND = { from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi' };
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe('batches, canceling and resending over MCP', () => {
  let server: TestApp;
  let client: Client;
  beforeAll(async () => {
    server = await startTestApp();
    client = new Client({ name: 'test', version: '0.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${server.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp`), { requestInit }));
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });

  async function call(name: string, given: Record<string, unknown>) {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
    const [first] = content as { text: string }[];
    // biome-ignore lint/suspicious/noExplicitAny: responses of any shape, which the assertions are about
    return { text: first?.text ?? '', data: structuredContent as any, isError: isError === true };
  }

  it('send_email_batch accepts `emails` and `idempotency_key`, and returns each item’s result in both formats', {
    tags: ['contract-surfaces.mcp-arguments-batch'],
  }, async () => {
    const emails = [SEND, { ...SEND, from: 'a@nowhere.example' }, { ...SEND, to: 'nobody' }, 7];
    const { text, data, isError } = await call('send_email_batch', { emails, idempotency_key: 'agent batch' });
    expect(isError).toBe(false);
    expect(data).toMatchObject({ accepted: 1, refused: 3, total: 4 });
    expect(data.results[0]).toEqual({ index: 0, ok: true, id: UUID, status: 'queued' });
    expect(data.results.slice(1).map(({ error }: { error: { code: string } }) => error.code)).toEqual([
      'domain_not_verified',
      'validation_failed',
      'validation_failed',
    ]);
    expect(text).toContain(`- 0 ${data.results[0].id} queued`);
    expect(text).toMatch(/^- 1 refused: domain_not_verified: .* Fix: /m);
    const again = await call('send_email_batch', { emails, idempotency_key: 'agent batch' });
    expect(again.data.results[0].id).toBe(data.results[0].id);
    expect(again.text).toContain('nothing was sent twice');
    const read = await server.call('GET', `/emails/${data.results[0].id}`);
    expect(read.body).toMatchObject({ channel: 'mcp', source: 'agent' });
  });

  it('send_email_batch rejects a channel that an item names, and sends nothing then', async () => {
    const before = (await server.call('GET', '/emails')).body.total;
    const { data, isError } = await call('send_email_batch', { emails: [SEND, { ...SEND, channel: 'api' }] });
    expect(isError).toBe(true);
    expect(data.error).toMatchObject({ code: 'validation_failed', errors: [{ path: 'emails.1.channel' }] });
    expect((await server.call('GET', '/emails')).body.total).toBe(before);
  });

  it('send_email_batch keeps every id of a hundred, however many are rejected', async () => {
    const bad = { ...SEND, from: `a@${'x'.repeat(60)}.example` };
    const emails = Array.from({ length: 100 }, (_, index) => (index % 3 === 0 ? SEND : bad));
    const { text, data } = await call('send_email_batch', { emails });
    expect(data.results).toHaveLength(100);
    const ids = data.results.flatMap(({ id }: { id?: string }) => (id === undefined ? [] : [id]));
    expect(ids).toHaveLength(34);
    for (const id of ids) expect(text).toContain(id);
    expect(text.length + JSON.stringify(data).length).toBeLessThan(32_000);
  });

  it('send_email_batch checks an item with `dry_run` and says what it found', async () => {
    const emails = [
      { ...SEND, dry_run: true },
      { ...SEND, dry_run: true, from: 'a@nowhere.example' },
    ];
    const { text, data } = await call('send_email_batch', { emails });
    expect(data.results).toEqual([
      { index: 0, ok: true, dryRun: true },
      { index: 1, ok: false, dryRun: true, failedChecks: [expect.objectContaining({ code: 'domain_not_verified' })] },
    ]);
    expect(text).toContain('- 0 would be accepted');
    expect(text).toMatch(/^- 1 would be refused: domain_not_verified/m);
  });

  it('cancel_email cancels a scheduled message, and returns the status of one that was sent', async () => {
    const { body } = await server.send({ scheduled_at: 'PT1H' });
    const { text, data } = await call('cancel_email', { id: body.id });
    expect(data).toMatchObject({ id: body.id, status: 'canceled' });
    expect(text).toContain('Canceled');
    const late = await call('cancel_email', { id: body.id });
    expect(late.isError).toBe(true);
    expect(late.data.error).toMatchObject({ code: 'message_not_queued', currentStatus: 'canceled' });
    expect(late.text).toContain('currentStatus: canceled');
  });

  it('resend_email creates a new message, on the channel mcp, and replays it under its key', async () => {
    const { body } = await server.send();
    await server.settled(body.id);
    const { data } = await call('resend_email', { id: body.id, idempotency_key: 'agent resend' });
    expect(data).toMatchObject({ id: UUID, status: 'queued', resendOf: body.id });
    expect((await server.settled(data.id)).body).toMatchObject({
      status: 'delivered',
      channel: 'mcp',
      source: 'backend',
    });
    const again = await call('resend_email', { id: body.id, idempotency_key: 'agent resend' });
    expect(again.data.id).toBe(data.id);
    expect(again.text).toContain('used before');
  });
});
