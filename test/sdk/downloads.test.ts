import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { Download, Postrider, PostriderError } from '@postrider/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { carryRequest } from '../../packages/cli/src/http-transport.ts';
import { transport as overFetch } from '../../packages/sdk/src/transports/fetch.ts';
import { transport as overUndici } from '../../packages/sdk/src/transports/undici.ts';
import { startTestApp } from '../harness/test-app.ts';
import { problem, startScriptedServer } from './scripted-server.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const HEAD = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename="acme-messages-2026-01-31.csv"',
  'x-request-id': 'req-1',
};

/** A server whose response is in the test's hands. */
async function serve(respond: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => respond(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return `http://127.0.0.1:${port}`;
}

describe.each([
  ['undici', overUndici],
  ['fetch', overFetch],
  ['the HTTP client of the CLI', carryRequest],
])('a file, over %s', (_name, transport) => {
  const clientOf = (baseUrl: string, timeoutMs = 5_000) =>
    new Postrider({ apiKey: 'pr_live_test', baseUrl, transport, maxRetries: 1, timeoutMs });

  it('awaited is the file with its name, iterated it is its bytes', {
    tags: ['contract-surfaces.sdk-export'],
  }, async () => {
    const server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    cleanUps.push(() => server.close());
    await server.send({ subject: 'Grüße', tags: ['a'] });
    const client = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl, transport });
    const file = await client.emails.export({ format: 'jsonl', tag: ['a'] });
    expect(file).toBeInstanceOf(Download);
    expect(file.fileName).toMatch(/^acme-messages-\d{4}-\d\d-\d\d\.jsonl$/);
    expect([file.contentType, file.isTruncated]).toEqual(['application/x-ndjson', false]);
    expect(JSON.parse(await file.text())).toMatchObject({ subject: 'Grüße', tags: ['a'], agent_name: null });
    let text = '';
    for await (const chunk of client.emails.export({ q: 'grüß' })) text += new TextDecoder().decode(chunk);
    expect(text).toContain(',Grüße,queued,');
    await expect(client.emails.export({ from: 'soon' })).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('is read line by line, wherever its parts end', async () => {
    const bytes = Buffer.from('{"subject":"Grüße"}\n\n{"subject":"你好"}');
    const baseUrl = await serve((response) => {
      response.writeHead(200, HEAD);
      // In the middle of a character and of a line.
      Readable.from([bytes.subarray(0, 14), bytes.subarray(14, 30), bytes.subarray(30)]).pipe(response);
    });
    const lines: string[] = [];
    for await (const line of (await clientOf(baseUrl).emails.export({ format: 'jsonl' })).lines()) lines.push(line);
    expect(lines).toEqual(['{"subject":"Grüße"}', '', '{"subject":"你好"}']);
  });

  it('yields what was received while the rest is still in transit', async () => {
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    const baseUrl = await serve((response) => {
      response.writeHead(200, HEAD);
      response.write('first\n');
      void taken.then(() => response.end('second\n'));
    });
    const file = await clientOf(baseUrl).emails.export();
    expect(file).toMatchObject({ fileName: 'acme-messages-2026-01-31.csv', requestId: 'req-1' });
    const pieces: string[] = [];
    for await (const chunk of file) {
      pieces.push(Buffer.from(chunk).toString());
      take();
    }
    expect(pieces).toEqual(['first\n', 'second\n']);
  });

  it('rejects when it breaks off, and is not restarted', async () => {
    let calls = 0;
    const baseUrl = await serve((response) => {
      calls += 1;
      response.writeHead(200, HEAD);
      response.write('first\n', () => response.destroy());
    });
    const file = await clientOf(baseUrl).emails.export();
    const reading = file.text();
    await expect(reading).rejects.toBeInstanceOf(PostriderError);
    await expect(reading).rejects.toMatchObject({ code: 'connection_failed', status: null });
    expect(calls).toBe(1);
  });

  it('rejects when nothing is received for as long as an attempt may take', async () => {
    const baseUrl = await serve((response) => {
      response.writeHead(200, HEAD);
      response.write('first\n');
    });
    const file = await clientOf(baseUrl, 200).emails.export();
    await expect(file.text()).rejects.toMatchObject({ code: 'timeout' });
  });

  it('ends the transfer when its reader stops, or its signal aborts', async () => {
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
    const endless = (response: ServerResponse) => {
      response.writeHead(200, HEAD);
      response.on('close', leave);
      Readable.from(
        (function* () {
          for (;;) yield `${'x'.repeat(1_000)}\n`;
        })(),
      ).pipe(response);
    };
    const baseUrl = await serve(endless);
    for await (const chunk of clientOf(baseUrl).emails.export()) {
      expect(chunk.byteLength).toBeGreaterThan(0);
      break;
    }
    await gone;
    const interruption = new AbortController();
    const file = await clientOf(baseUrl).emails.export({}, { signal: interruption.signal });
    const reading = file.text();
    interruption.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  it('is requested again while it has not begun, as any read is', async () => {
    await using server = await startScriptedServer([
      problem(503, 'unavailable', { retryable: true }, { 'retry-after': '0' }),
      { status: 200, headers: { ...HEAD, 'x-export-truncated': 'true' }, body: 'id\n' },
    ]);
    const file = await clientOf(server.baseUrl).emails.export({ tag: ['a', 'b'] });
    expect([file.isTruncated, await file.text()]).toEqual([true, 'id\n']);
    expect(server.received.map(({ url }) => url)).toEqual(Array(2).fill('/emails/export?tag=a&tag=b'));
  });
});
