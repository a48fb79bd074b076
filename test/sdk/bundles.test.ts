import path from 'node:path';
import { createContext, runInContext } from 'node:vm';
import type { ErrorCode as CatalogCode } from '@postrider/core';
import * as sdk from '@postrider/sdk';
import { type RolldownOptions, rolldown } from 'rolldown';
import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { problem, startScriptedServer } from './scripted-server.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** What a bundler makes of someone's file that imports the SDK, and what is left outside of it. */
async function bundle(source: string, platform: RolldownOptions['platform'] & string) {
  const build = await rolldown({
    input: 'virtual:user',
    cwd: ROOT,
    platform,
    external: (id) => /^(?:node:|undici$)/.test(id),
    plugins: [
      {
        name: 'user',
        resolveId: (id) => (id === 'virtual:user' ? path.join(ROOT, 'test/sdk/user.ts') : null),
        load: (id) => (id.endsWith('/test/sdk/user.ts') ? source : null),
      },
    ],
    onLog: (_level, log) => {
      throw new Error(log.message);
    },
  });
  // Minified, so that no word of a comment is taken for code.
  const format = platform === 'node' ? 'esm' : 'iife';
  const { output } = await build.generate({ format, name: 'user', codeSplitting: false, minify: true });
  await build.close();
  const [chunk] = output;
  return { code: chunk.code, outside: [...chunk.imports, ...chunk.dynamicImports] };
}

/** The globals that the web’s runtimes have in common (WinterTC’s minimum), and nothing of Node. */
function webGlobals() {
  const { fetch, Headers, Request, Response, ReadableStream, AbortController, AbortSignal } = globalThis;
  const { URL, URLSearchParams, TextEncoder, TextDecoder, crypto, atob, btoa, setTimeout, clearTimeout } = globalThis;
  const network = { fetch, Headers, Request, Response, ReadableStream, AbortController, AbortSignal };
  return { ...network, URL, URLSearchParams, TextEncoder, TextDecoder, crypto, atob, btoa, setTimeout, clearTimeout };
}

describe('without anything but fetch', () => {
  it('every part of the SDK works, and imports no module of Node', async () => {
    const { code, outside } = await bundle("export * as sdk from '@postrider/sdk';", 'browser');
    expect(outside).toEqual([]);
    expect(code).not.toMatch(/\brequire\(|\bprocess\b|\bBuffer\b|node:/);
    const context = createContext(webGlobals());
    // The value of the bundle’s own variable, from its own realm.
    const { sdk: edge }: { readonly sdk: typeof sdk } = runInContext(`${code}\nuser;`, context);

    const page = (ids: readonly string[], nextCursor: string | null) => ({
      status: 200,
      body: { messages: ids.map((id) => ({ id })), total: 3, totalIsEstimate: false, nextCursor },
    });
    await using server = await startScriptedServer([
      problem(503, 'unavailable', { retryable: true }, { 'retry-after': '0' }),
      { status: 202, headers: { 'x-request-id': 'req-1' }, body: { id: 'm1', status: 'queued' } },
      page(['m1', 'm2'], 'c1'),
      page(['m3'], null),
      { status: 200, headers: { 'content-type': 'text/csv' }, body: 'id\nm1\n' },
      problem(404, 'not_found'),
    ]);
    const client = new edge.Postrider({ apiKey: 'pr_live_test', baseUrl: server.baseUrl });
    const mail = { from: 'a@example.com', to: 'b@example.org', subject: 'Hello', text: 'Hi' };
    expect(await client.emails.send(mail).withResponse()).toMatchObject({ data: { id: 'm1' }, requestId: 'req-1' });
    const keys = server.received.slice(0, 2).map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    const ids: string[] = [];
    for await (const { id } of client.emails.list()) ids.push(id);
    expect(ids).toEqual(['m1', 'm2', 'm3']);
    expect(await (await client.emails.export()).text()).toContain('m1');
    await expect(client.emails.get('m1')).rejects.toMatchObject({ name: 'PostriderError', code: 'not_found' });

    const secret = `whsec_${btoa('a secret of thirty-two bytes, 01')}`;
    const event = JSON.stringify({ type: 'webhook.test', data: {} });
    const now = new Date();
    const headers = {
      'webhook-id': 'e1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('e1', now, event),
    };
    expect(edge.verifyWebhook(event, headers, secret)).toMatchObject({ type: 'webhook.test' });
  });
});

describe('a bundle', () => {
  it('contains the used parts of the SDK, and no client for a caller that only verifies webhooks', async () => {
    const { code, outside } = await bundle("export { verifyWebhook } from '@postrider/sdk';", 'node');
    expect(outside).toEqual([]);
    expect(code).toContain('webhook_signature_mismatch');
    expect(code).not.toMatch(/emails|\/keys|idempotency-key|\bfetch\(|class \w+ extends Promise/);
    expect(code.length).toBeLessThan(15_000);
    const whole = await bundle("export { Postrider } from '@postrider/sdk';", 'node');
    expect(whole.code).not.toMatch(/webhook_signature_mismatch/);
    // It is loaded with the first request.
    expect(whole.outside).toEqual(['undici']);
    expect(whole.code).toMatch(/import\(["'`]undici["'`]\)/);
  });

  it('of nothing is empty: importing the SDK does nothing', async () => {
    expect((await bundle("import '@postrider/sdk';", 'node')).code.trim()).toBe('export{};');
  });
});

describe('the public names', () => {
  it('are these; their types are listed in public-api.txt', () => {
    expect(Object.keys(sdk).sort()).toEqual([
      'CallPromise',
      'Download',
      'Page',
      'Postrider',
      'PostriderError',
      'verifyWebhook',
    ]);
  });

  it('include exactly the codes of the catalog', () => {
    expectTypeOf<sdk.ErrorCode>().toEqualTypeOf<CatalogCode>();
    type Own = 'connection_failed' | 'timeout' | 'unexpected_answer';
    expectTypeOf<sdk.PostriderError['code']>().toEqualTypeOf<CatalogCode | Own | sdk.WebhookErrorCode>();
  });
});
