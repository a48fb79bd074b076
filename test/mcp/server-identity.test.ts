import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ICON_PIXELS, ICON_SVG, iconPng } from '../../tools/generate/icons.ts';
import { ROOT } from '../../tools/run-program.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

let server: TestApp;
beforeAll(async () => {
  server = await startTestApp();
});
afterAll(() => server.close());

describe('the server introduces itself with its mark and its console', () => {
  it('to a client of protocol 2026-07-28, once and not in every result of a tool', async () => {
    const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new StreamableHTTPClientTransport(mcpUrl(), { requestInit: authorized() }));
    expect(client.getServerVersion()).toMatchObject(introduction());
    const { _meta } = await client.callTool({ name: 'get_sending_context', arguments: {} });
    expect(_meta?.[SERVER_INFO]).toEqual({ name: 'postrider', title: 'Postrider', version: expect.any(String) });
    await client.close();
  });

  it('to a client of protocol 2025-11-25', async () => {
    const client = new LegacyClient({ name: 'test', version: '0' });
    // Under exactOptionalPropertyTypes the library's own transport does not fit its own interface (`sessionId`).
    await client.connect(new LegacyTransport(mcpUrl(), { requestInit: authorized() }) as Transport);
    expect(client.getServerVersion()).toMatchObject(introduction());
    expect((await client.callTool({ name: 'get_sending_context', arguments: {} }))._meta).toBeUndefined();
    await client.close();
  });
});

describe('the PNG files of the mark', () => {
  const svg = readFileSync(path.join(ROOT, ICON_SVG));

  it.each(Object.values(ICON_PIXELS))('show the current mark, %i pixels wide', (pixels) => {
    const png = readFileSync(path.join(ROOT, iconPng(pixels)));
    expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([pixels, pixels]);
    // `node tools/icons/main.ts` draws them again.
    expect(png.includes(`tEXtSource\0${createHash('sha256').update(svg).digest('hex')}`, 0, 'latin1')).toBe(true);
    expect(png.length).toBeLessThan(8_000);
  });
});

function introduction() {
  const png = readFileSync(path.join(ROOT, iconPng(ICON_PIXELS.small))).toString('base64');
  return {
    name: 'postrider',
    title: 'Postrider',
    websiteUrl: `${server.baseUrl}/console`,
    icons: [{ src: `data:image/png;base64,${png}`, mimeType: 'image/png', sizes: ['48x48'] }],
  };
}

function mcpUrl(): URL {
  return new URL(`${server.baseUrl}/mcp`);
}

function authorized(): RequestInit {
  return { headers: { authorization: `Bearer ${server.key}` } };
}
