import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../cli/run-in-process.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const BODY = { url: 'https://shop.test/a?b=1#c', source: 'newsletter', medium: 'email', campaign: 'spring sale' };

describe('POST /tools/utm', () => {
  let server: TestApp;
  let calls = 0;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_TRUSTED_PROXIES: '127.0.0.1' } });
  });
  afterAll(() => server.close());

  /** Each call comes from its own address, so that only the tests of the limit meet it. */
  const build = (body: unknown, headers: Record<string, string> = {}, path = '/tools/utm') => {
    calls += 1;
    const from = { 'x-forwarded-for': `198.51.100.${calls}` };
    return server.call('POST', path, { key: null, body, headers: { ...from, ...headers } });
  };

  it('returns the tagged URL to everyone, with the existing query and the anchor preserved', {
    tags: [
      'tools.utm-request',
      'tools.utm-response',
      'tools.utm-decided',
      'utm-tool-response.ok',
      'utm-tool-response.original',
      'utm-tool-response.tagged',
      'utm-tool-response.params',
    ],
  }, async () => {
    const { status, body } = await build({ ...BODY, content: 'top' });
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      original: 'https://shop.test/a?b=1#c',
      tagged:
        'https://shop.test/a?b=1&utm_source=newsletter&utm_medium=email&utm_campaign=spring%20sale&utm_content=top#c',
      params: { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'spring sale', utm_content: 'top' },
    });
    expect((await build({ ...BODY, term: 'shoes' }, {}, '/v1/tools/utm')).body.params).toEqual({
      utm_source: 'newsletter',
      utm_medium: 'email',
      utm_campaign: 'spring sale',
      utm_term: 'shoes',
    });
  });

  it('keeps what the URL already has, or replaces it with override_existing', async () => {
    const url = 'https://shop.test/?utm_source=partner&a=1';
    const kept = (await build({ ...BODY, url: `${url}&utm_term=x+y` })).body;
    expect(kept.tagged).toContain('?utm_source=partner&a=1&utm_term=x+y&utm_medium=email');
    expect(kept.params).toEqual({
      ...{ utm_source: 'partner', utm_medium: 'email', utm_campaign: 'spring sale', utm_term: 'x y' },
    });
    const replaced = (await build({ ...BODY, url, override_existing: true })).body;
    expect(replaced.tagged).toContain('?utm_source=newsletter&a=1');
    expect(replaced.params.utm_source).toBe('newsletter');
  });

  it.each([
    [{ url: 'mailto:a@shop.test' }, ['url', 'invalid_url']],
    [{ url: 'ftp://shop.test/' }, ['url', 'invalid_url']],
    [{ url: 'javascript:alert(1)' }, ['url', 'invalid_url']],
    [{ url: 'shop.test' }, ['url', 'invalid_url']],
    [{ url: '/a' }, ['url', 'invalid_url']],
    [{ url: 'https://' }, ['url', 'invalid_url']],
    [{ url: 'https://shop.test/\na' }, ['url', 'invalid_url']],
    [{ url: '' }, ['url', 'too_short']],
    [{ url: 5 }, ['url', 'invalid_type']],
    [{ url: undefined }, ['url', 'required']],
    [{ url: `https://shop.test/${'a'.repeat(8_192)}` }, ['url', 'too_long']],
    [{ source: undefined }, ['source', 'required']],
    [{ medium: '' }, ['medium', 'too_short']],
    [{ campaign: 'x'.repeat(256) }, ['campaign', 'too_long']],
    [{ term: null }, ['term', 'invalid_type']],
    [{ content: 'a\u0007' }, ['content', 'forbidden_character']],
    [{ override_existing: 'yes' }, ['override_existing', 'invalid_type']],
    [{ name: 'x' }, ['name', 'unknown_field']],
  ] as const)('rejects %j', async (wrong, field) => {
    expectInvalid(await build({ ...BODY, ...wrong }), field);
  });

  it('rejects bodies above 64 KB, and invalid JSON', async () => {
    expectProblem(await build({ ...BODY, url: 'x'.repeat(66_000) }), 413, 'payload_too_large');
    const headers = { 'x-forwarded-for': '198.51.100.250', 'content-type': 'text/plain' };
    const other = await server.call('POST', '/tools/utm', { key: null, rawBody: 'x', headers });
    expectProblem(other, 415, 'unsupported_media_type');
  });

  it('allows 20 requests a minute from one address, over both paths, without limiting others', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    for (let n = 0; n < 20; n += 1) {
      const path = n % 2 === 0 ? '/tools/utm' : '/v1/tools/utm';
      expect((await build(BODY, from('203.0.113.7'), path)).status).toBe(200);
    }
    const refused = await build(BODY, from('203.0.113.7'));
    expectProblem(refused, 429, 'rate_limited');
    expect(refused.body.retryable).toBe(true);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect((await build(BODY, from('203.0.113.8'))).status).toBe(200);
    server.clock.advance(seconds * 1_000);
    expect((await build(BODY, from('203.0.113.7'))).status).toBe(200);
  });

  it('trusts the address from a trusted proxy alone: a client gets no more by naming others', async () => {
    const plain = await startTestApp({ database: server.database });
    const call = (n: number) =>
      plain.call('POST', '/tools/utm', { key: null, body: BODY, headers: { 'x-forwarded-for': `203.0.113.${n}` } });
    for (let n = 0; n < 20; n += 1) expect((await call(n)).status).toBe(200);
    expectProblem(await call(21), 429, 'rate_limited');
    await plain.close();
  });

  it('is the same over the SDK and the CLI, which need no key for it', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.251' };
    const { tools } = new Postrider({ apiKey: null, baseUrl: server.baseUrl });
    const expected = (await build(BODY)).body;
    expect(await tools.utm(BODY, { headers })).toEqual(expected);
    const argv = ['tools', 'utm', BODY.url, '--source', 'newsletter', '--medium', 'email', '--campaign', 'spring sale'];
    const env = { POSTRIDER_BASE_URL: server.baseUrl };
    const shown = await runInProcess([...argv, '--json'], { env });
    expect({ code: shown.code, stderr: shown.stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(shown.stdout)).toEqual(expected);
  });
});
