import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Postrider } from '@postrider/sdk';
import { describe, expect, it } from 'vitest';
import { carryRequest } from '../../packages/cli/src/http-transport.ts';
import { transport as fetchTransport } from '../../packages/sdk/src/transports/fetch.ts';
import { transport as undiciTransport } from '../../packages/sdk/src/transports/undici.ts';
import { startScriptedServer } from './scripted-server.ts';

describe.each([
  ['undici', undiciTransport],
  ['the platform’s fetch', fetchTransport],
  ['the HTTP client of the CLI', carryRequest],
])('the transport %s', (_, transport) => {
  function clientOf(server: { readonly baseUrl: string }) {
    return new Postrider({ apiKey: 'pr_live_test', baseUrl: server.baseUrl, maxRetries: 0, transport });
  }

  it('sends method, headers and body, and reads status, headers and body', async () => {
    const reply = { status: 202, headers: { 'x-request-id': 'req-9' }, body: { id: 'm1', word: 'naïve ☂' } };
    await using server = await startScriptedServer([reply]);
    const response = await clientOf(server).request({ method: 'POST', path: '/emails', body: { word: 'naïve ☂' } });
    expect(response).toMatchObject({ status: 202, data: { id: 'm1', word: 'naïve ☂' }, requestId: 'req-9' });
    expect(server.received[0]).toMatchObject({ method: 'POST', url: '/emails', body: '{"word":"naïve ☂"}' });
    expect(server.received[0]?.headers).toMatchObject({
      authorization: 'Bearer pr_live_test',
      'content-type': 'application/json',
    });
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect, and sends the key nowhere else: %i', async (status) => {
    await using elsewhere = await startScriptedServer([]);
    await using server = await startScriptedServer([{ status, headers: { location: `${elsewhere.baseUrl}/emails` } }]);
    const call = clientOf(server).request({ method: 'POST', path: '/emails', body: {} });
    await expect(call).rejects.toMatchObject({ code: 'unexpected_answer', status, retryable: false });
    await expect(call).rejects.toThrow(elsewhere.baseUrl);
    expect(elsewhere.received).toHaveLength(0);
  });

  it('fails with connection_failed when the connection breaks', async () => {
    await using server = await startScriptedServer(['reset']);
    await expect(clientOf(server).service.health()).rejects.toMatchObject({ code: 'connection_failed' });
  });

  it('sends the body of a DELETE within its request', async () => {
    await using server = await startScriptedServer([{ status: 200, body: {} }]);
    await clientOf(server).request({ method: 'DELETE', path: '/account', body: { confirm: 'Bö' } });
    expect(server.received).toMatchObject([{ method: 'DELETE', body: '{"confirm":"Bö"}' }]);
  });

  it('fails when another protocol is offered', async () => {
    await using server = await startScriptedServer(['switch']);
    await expect(clientOf(server).service.health()).rejects.toMatchObject({ code: 'connection_failed' });
  });

  it('stops at the deadline and when the caller aborts', async () => {
    await using server = await startScriptedServer(['hang', 'hang']);
    await expect(clientOf(server).service.health({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'timeout' });
    const caller = new AbortController();
    const call = clientOf(server).service.health({ signal: caller.signal });
    await server.nextRequest();
    caller.abort('enough');
    await expect(call).rejects.toBe('enough');
  });
});

describe('the default transport', () => {
  it('is undici in Node and the platform’s fetch elsewhere', async () => {
    const manifest = await readFile(path.resolve(import.meta.dirname, '../../packages/sdk/package.json'), 'utf8');
    const { imports, publishConfig } = JSON.parse(manifest);
    expect(imports['#transport']).toEqual({ node: './src/transports/undici.ts', default: './src/transports/fetch.ts' });
    expect(Object.keys(publishConfig.imports['#transport'])).toEqual(['node', 'default']);
  });
});

describe('a fetch that hides redirects, as in browsers', () => {
  it('rejects a redirect with an error', async () => {
    const client = new Postrider({ apiKey: null, transport: async () => ({ status: 0, headers: {}, text: '' }) });
    await expect(client.service.health()).rejects.toMatchObject({ code: 'unexpected_answer', status: null });
  });
});
