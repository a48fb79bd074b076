import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseQueryString, readQueryPairs } from '../../packages/server/src/http/query-string.ts';
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

describe('the names and values of a query string', () => {
  it.each([
    '',
    '?',
    '?a=1',
    'a',
    'a=',
    '=a',
    '&&a=1&',
    'a=b=c',
    'a+b=%20',
    'q=100%',
    'q=%zz',
    'q=%E4%BD%A0&%C3%A9=1',
    'a=%F0%9F%98%80',
    'a=%EF%BF%BD',
  ])('%s are those of the URL standard', (text) => {
    expect(readQueryPairs(text)).toEqual([...new URLSearchParams(text)]);
  });

  it.each([
    ['q=%ff%fe', 'q', '\ufffd\ufffd\ud800'],
    ['?q=a%C3', 'q', 'a\ufffd\ud800'],
    ['q=%C3+%A9', 'q', '\ufffd \ufffd\ud800'],
    ['&a%80&', 'a\ufffd\ud800', ''],
    ['q=%ED%A0%80', 'q', '\ufffd\ufffd\ufffd\ud800'],
    ['q=a=%ff', 'q', 'a=\ufffd\ud800'],
  ])('%s is marked, because it is not UTF-8', (text, name, value) => {
    expect(readQueryPairs(text)).toEqual([[name, value]]);
    expect(readQueryPairs(`?x=%C3%A9&${text.replace('?', '')}`)[0]).toEqual(['x', 'é']);
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
    expectInvalid(await get('/emails?q=%ff%fe'), ['q', 'invalid_unicode']);
    expectInvalid(await get('/emails?tag=a&tag=%C3'), ['tag.1', 'invalid_unicode']);
    expectInvalid(await get('/emails?%ff=1'), ['query', 'invalid_unicode']);
    expectInvalid(await get('/keys/self?x=%ff'), ['x', 'invalid_unicode']);
    expect((await get('/emails?q=%E4%BD%A0%E5%A5%BD%F0%9F%98%80')).status).toBe(200);
    expect((await get('/emails?lim%69t=1')).status).toBe(200);
    expectInvalid(await get('/emails?limit=%2531'), 'limit');
    expect((await get('/emails?')).status).toBe(200);
  });
});
