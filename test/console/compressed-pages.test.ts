import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let server: TestApp;
let owner: TestSession;
beforeAll(async () => {
  server = await startTestApp();
  owner = await signInAs(server, 'owner@sandbox.test');
});
afterAll(() => server.close());

/** The coding of a page that is requested with these headers, and the page. */
async function read(headers: Readonly<Record<string, string>>, path = '/console/settings') {
  const response = await owner.call('GET', path, { headers });
  return { coding: response.headers.get('content-encoding'), vary: response.headers.get('vary'), body: response.body };
}

describe('pages of the console', () => {
  it('are compressed as the browser accepts it, and say by what the response differs', {
    tags: ['console.pages.compressed'],
  }, async () => {
    const plain = await read({ 'accept-encoding': 'identity' });
    expect([plain.coding, plain.vary]).toEqual([null, 'accept-encoding, sec-fetch-site']);
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['br;q=0, gzip;q=0', null],
      ['zstd', null],
    ] as const) {
      const shown = await read({ 'accept-encoding': accepted });
      expect([accepted, shown.coding, shown.body]).toEqual([accepted, coding, plain.body]);
    }
  });

  it('are not compressed if another site has opened them, so that their size says nothing about their texts', {
    tags: ['console.pages.compressed'],
  }, async () => {
    const open = async (site: string) => (await read({ 'accept-encoding': 'br', 'sec-fetch-site': site })).coding;
    expect(await open('none')).toBe('br');
    expect(await open('same-origin')).toBe('br');
    expect(await open('same-site')).toBe(null);
    expect(await open('cross-site')).toBe(null);
  });

  it('are not compressed after a form: one of them shows a new key', {
    tags: ['console.pages.compressed'],
  }, async () => {
    const form = { name: 'Key', access: 'sending', approvalMode: 'off', action: 'create' };
    const response = await owner.call('POST', '/console/keys/create', {
      rawBody: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-encoding': 'br' },
    });
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null]);
    expect(response.body).toMatch(/pr_live_\w{20}/);
  });
});
