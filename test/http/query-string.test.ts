import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseQueryString } from '../../packages/server/src/http/query-string.ts';
import { expectInvalid } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('a query string', () => {
  it('keeps repetitions as lists, so that none is dropped silently', () => {
    expect({ ...parseQueryString('a=1&b=2&a=3&a=') }).toEqual({ a: ['1', '3', ''], b: '2' });
  });

  it('treats `__proto__` as a name like any other', () => {
    const query = parseQueryString('__proto__=x&constructor=y');
    expect(Object.entries(query)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

describe('query strings of the API', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const get = (url: string) => server.call('GET', url);

  it.each([
    ['/emails?foo=1', 'foo'],
    ['/emails?Limit=1', 'Limit'],
    ['/emails?limit[]=1', 'limit[]'],
    ['/emails?__proto__=1', '__proto__'],
    ['/emails?=1', ''],
    ['/requests?state=200', 'state'],
    ['/keys/self?x=1', 'x'],
    ['/health?x=1', 'x'],
    ['/?x=1', 'x'],
    ['/openapi.json?x=1', 'x'],
  ])('%s names the unknown parameter', { tags: ['contract-shape.query-parameters'] }, async (url, name) => {
    expectInvalid(await get(url), [name, 'unknown_field']);
  });

  it.each(['limit=1&limit=2', 'limit=1&limit=1', 'status=sent&status=sent', 'cursor=a&cursor=b'])(
    '/emails?%s names the repeated parameter',
    { tags: ['contract-shape.query-parameters'] },
    async (query) => {
      expectInvalid(await get(`/emails?${query}`), query.slice(0, query.indexOf('=')));
    },
  );

  it('accepts only decimal digits as a number', async () => {
    for (const value of ['', 'ten', '1e1', '0x1', '%201', '1.0', '+1', 'NaN', 'Infinity', '9'.repeat(30), '１']) {
      expectInvalid(await get(`/emails?limit=${value}`), 'limit');
    }
  });

  it('decodes escapes once and rejects what is not text', async () => {
    expectInvalid(await get('/emails?status=%00'), ['status', 'invalid_unicode']);
    expect((await get('/emails?lim%69t=1')).status).toBe(200);
    expectInvalid(await get('/emails?limit=%2531'), 'limit');
    expect((await get('/emails?')).status).toBe(200);
  });
});
