import { randomUUID } from 'node:crypto';
import { AUTOMATIC_KEY_PREFIX } from '@postrider/core';
import { createDuplicateQueue, type InvokeResult } from '@postrider/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { ID } from './sample-messages.ts';
import { response, scriptInvoke } from './scripted-invoke.ts';

let server: TestApp;

beforeAll(async () => {
  server = await startTestApp();
});

afterAll(async () => {
  await server.close();
});

interface ToolResult {
  readonly isError?: boolean;
  readonly content: { text: string }[];
  // Results of several tools; what is expected of each is its test's assertion.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly structuredContent: any;
}

async function call(name: string, given: Readonly<Record<string, unknown>>, key = server.key): Promise<ToolResult> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
  const headers = { accept: 'application/json', 'mcp-protocol-version': '2025-11-25' };
  const response = await server.call('POST', '/mcp', { key, headers, body });
  return response.body.result;
}

const email = (changes: Readonly<Record<string, unknown>> = {}) => ({
  from: 'a@sandbox.test',
  to: 'delivered@sandbox.test',
  subject: `S ${randomUUID()}`,
  text: 'T',
  ...changes,
});

describe('the guard against duplicates', () => {
  it('returns the first message for the same content of the same key, and says so', async () => {
    const given = email();
    const first = await call('send_email', given);
    expect(first.structuredContent).toEqual(expect.not.objectContaining({ deduplicated: true }));
    // The same content, whatever the order of its names.
    const second = await call('send_email', Object.fromEntries(Object.entries(given).reverse()));
    expect(second.structuredContent).toMatchObject({ id: first.structuredContent.id, deduplicated: true });
    expect(second.content[0]?.text).toContain('nothing was sent twice');
    const { body } = await server.call('GET', '/emails?limit=100');
    const same = (body.messages as { subject: string }[]).filter(({ subject }) => subject === given.subject);
    expect(same).toHaveLength(1);
  });

  it('lets through other content, other keys and a caller’s own idempotency key', async () => {
    const given = email();
    const ids = new Set<string>();
    for (const [changes, key] of [
      [{}, server.key],
      [{ text: 'T2' }, server.key],
      [{ idempotency_key: 'mine' }, server.key],
      [{}, await server.newKey()],
    ] as const) {
      ids.add((await call('send_email', { ...given, ...changes }, key)).structuredContent.id);
    }
    expect(ids.size).toBe(4);
  });

  it('returns one message to concurrent calls, and rejects none of them', async () => {
    const given = email();
    const emails = [email(), email()];
    const singles = await Promise.all(Array.from({ length: 12 }, () => call('send_email', given)));
    expect(new Set(singles.map(({ structuredContent }) => structuredContent.id)).size).toBe(1);
    expect(singles.filter(({ structuredContent }) => structuredContent.deduplicated !== true)).toHaveLength(1);
    const batches = await Promise.all(Array.from({ length: 4 }, () => call('send_email_batch', { emails })));
    const ids = batches.flatMap(({ structuredContent }) =>
      structuredContent.results.map(({ id }: { id: string }) => id),
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('ends after ten minutes', async () => {
    const given = email();
    const first = await call('send_email', given);
    server.clock.advance(9 * 60_000);
    expect((await call('send_email', given)).structuredContent.id).toBe(first.structuredContent.id);
    server.clock.advance(2 * 60_000);
    const later = await call('send_email', given);
    expect(later.structuredContent).toEqual(expect.not.objectContaining({ deduplicated: true }));
    expect(later.structuredContent.id).not.toBe(first.structuredContent.id);
  });

  it('applies to batches and to resends', async () => {
    const emails = [email(), email()];
    const first = await call('send_email_batch', { emails });
    const again = await call('send_email_batch', { emails });
    const idsOf = (result: ToolResult) => result.structuredContent.results.map(({ id }: { id: string }) => id);
    expect(idsOf(again)).toEqual(idsOf(first));
    expect(again.structuredContent.deduplicated).toBe(true);
    const [id] = idsOf(first);
    const resent = await call('resend_email', { id });
    const twice = await call('resend_email', { id });
    expect(twice.structuredContent).toMatchObject({ id: resent.structuredContent.id, deduplicated: true });
  });
});

describe('concurrent sends', () => {
  const inputOf = (key: string) => ({ params: {}, query: {}, headers: { 'idempotency-key': key }, body: {} });
  const twin = inputOf(`${AUTOMATIC_KEY_PREFIX}1`);

  it('wait for each other under an automatic key of one caller, whatever happens to the first', async () => {
    const first = Promise.withResolvers<InvokeResult>();
    const { invoke, calls } = scriptInvoke({
      'emails.send': () => (calls.length === 1 ? first.promise : response<'emails.send'>({ id: ID, status: 'queued' })),
    });
    const ofCaller = createDuplicateQueue();
    const queued = ofCaller(invoke, 'k');
    const failing = queued('emails.send', twin, {});
    const waiting = queued('emails.send', twin, {});
    await queued('emails.send', inputOf(`${AUTOMATIC_KEY_PREFIX}2`), {});
    await queued('emails.send', inputOf('mine'), {});
    await ofCaller(invoke, 'other')('emails.send', twin, {});
    expect(calls).toHaveLength(4);
    first.reject(new Error('broken'));
    await expect(failing).rejects.toThrow('broken');
    expect(await waiting).toMatchObject({ ok: true });
    expect(calls).toHaveLength(5);
  });
});

describe('a temporary rejection', () => {
  it('says how long to wait, and names no header that the model cannot see', async () => {
    const body = { name: 'Limited', scopes: ['emails:send'], sendLimit: { hour: 1, day: null } };
    const { key } = (await server.call('POST', '/keys', { body })).body;
    await call('send_email', email(), key);
    const { content, structuredContent } = await call('send_email', email(), key);
    expect(structuredContent.error.code).toBe('send_limit_reached');
    expect(content[0]?.text).toMatch(/Fix: Wait for \d+ s, then send again\. \(retryable: yes/);
    expect(JSON.stringify([content, structuredContent])).not.toContain('retry-after');
  });
});

describe('checks before a send', () => {
  it('report what the key may do, from which addresses, and what is left', async () => {
    const key = await server.newKey({ scopes: ['emails:send'], recipientAllowlist: ['@sandbox.test'] });
    const { structuredContent } = await call('get_sending_context', {}, key);
    expect(structuredContent).toMatchObject({
      scopes: ['emails:send'],
      recipientAllowlist: ['@sandbox.test'],
      sendingDomains: ['sandbox.test'],
      quota: { limit: expect.any(Number), remaining: expect.any(Number) },
    });
  });

  it('preview an email with every failed check, and send nothing', async () => {
    const key = await server.newKey({ recipientAllowlist: ['@sandbox.test'] });
    const given = email({ to: ['delivered@sandbox.test', 'x@example.com'], from: 'a@unverified.example' });
    const { structuredContent, content, isError } = await call('preview_email', given, key);
    expect(isError).not.toBe(true);
    expect(structuredContent).toMatchObject({ ok: false, wouldHold: false, reasons: [], message: { text: 'T' } });
    const failed = structuredContent.checks.filter(({ ok }: { ok: boolean }) => !ok);
    expect(failed.map(({ code }: { code: string }) => code)).toEqual(['domain_not_verified', 'recipient_not_allowed']);
    expect(content[0]?.text).toContain('domain_not_verified');
    const { body } = await server.call('GET', '/emails?limit=100');
    expect((body.messages as { subject: string }[]).some(({ subject }) => subject === given.subject)).toBe(false);
  });

  it('check recipients separately', async () => {
    const key = await server.newKey({ recipientAllowlist: ['@sandbox.test'] });
    const { structuredContent } = await call(
      'check_recipients',
      { to: 'delivered@sandbox.test', bcc: ['x@example.com'] },
      key,
    );
    expect(structuredContent).toMatchObject({
      ok: false,
      recipients: [
        { email: 'delivered@sandbox.test', kind: 'to', ok: true },
        { email: 'x@example.com', kind: 'bcc', ok: false, code: 'recipient_not_allowed' },
      ],
    });
    const missing = await call('check_recipients', {});
    expect([missing.isError, missing.structuredContent.error.code]).toEqual([true, 'validation_failed']);
  });
});
