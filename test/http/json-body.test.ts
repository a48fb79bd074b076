import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseJsonBody } from '../../packages/server/src/http/json-body.ts';
import { findTextFault } from '../../packages/server/src/operations/text-faults.ts';
import { expectInvalid, expectProblem } from '../harness/expect-problem.ts';
import { DEFAULT_SEND, startTestApp, type TestApp } from '../harness/test-app.ts';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const parse = (text: string | Uint8Array) => parseJsonBody(Buffer.from(text));

describe('reading a JSON body', () => {
  it('accepts any single value, with or without a byte order mark', () => {
    expect(parse('{"a":[1,null,"ü"]}')).toEqual({ a: [1, null, 'ü'] });
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
    expect(parse(' "text"\n')).toBe('text');
  });

  it.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '{"a":1}{', '{"a":NaN}', '{"a":01}', '"\n"', 'undefined', '\u0000{}'])(
    'rejects %j',
    (text) => {
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'invalid_json' }));
    },
  );

  it('rejects what is not UTF-8', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc3, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ]) {
      expect(() => parse(Uint8Array.from(bytes))).toThrow('not valid UTF-8');
    }
  });

  it('accepts 64 levels and rejects 65, without counting brackets in strings', () => {
    expect(parse(nested(64))).toBeInstanceOf(Array);
    expect(() => parse(nested(65))).toThrow('deeper than 64 levels');
    expect(parse(JSON.stringify(`${'['.repeat(1_000)}"\\`))).toHaveLength(1_002);
    expect(() => parse('{"a":'.repeat(100_000))).toThrow('deeper than 64 levels');
    expect(() => parse('"["'.repeat(3))).toThrow(expect.objectContaining({ code: 'invalid_json' }));
  });

  it('reads a huge unclosed string in linear time', () => {
    const beganMs = performance.now();
    expect(() => parse(`{"a":"${'\\"'.repeat(2_000_000)}`)).toThrow();
    expect(performance.now() - beganMs).toBeLessThan(1_000);
  });
});

describe('text that no database can store', () => {
  it('is found everywhere, in names too', () => {
    expect(findTextFault({ a: { b: ['x', 'y\u0000'] } })).toMatchObject({ path: 'a.b.1', code: 'invalid_unicode' });
    expect(findTextFault({ a: { 'k\ud800': 1 } })).toMatchObject({ path: 'a', code: 'invalid_unicode' });
    expect(findTextFault('\udc00')).toMatchObject({ path: '' });
    expect(findTextFault({ a: '😀', b: null, c: 1 })).toBeNull();
  });
});

describe('JSON bodies of a send', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const post = (rawBody: string | Uint8Array) => server.call('POST', '/emails', { rawBody });
  const withField = (json: string) => JSON.stringify(DEFAULT_SEND).replace('{', `{${json},`);

  it('are 400 when they cannot be read', { tags: ['contract-errors.400', 'general.json-bodies'] }, async () => {
    for (const body of ['', '{', 'from=a', '<xml/>', nested(65)]) expectProblem(await post(body), 400, 'invalid_json');
    expectProblem(await post(Uint8Array.from([0x7b, 0xff, 0x7d])), 400, 'invalid_json');
  });

  it('are 422 when they are not an object', async () => {
    for (const body of ['[]', 'null', '5', '"text"', '[{}]']) {
      expectInvalid(await post(body), ['body', 'invalid_type']);
    }
    expectInvalid(await server.call('POST', '/emails'), ['body', 'required']);
  });

  it.each([
    '__proto__',
    'constructor',
    'id',
    'accountId',
    'status',
    'createdAt',
    'channel ',
    'Subject',
    'replyTo',
    'agentName',
  ])('reject the unknown field %j by name', { tags: ['contract-shape.unknown-field'] }, async (name) => {
    expectInvalid(await post(withField(`${JSON.stringify(name)}:"x"`)), [name, 'unknown_field']);
  });

  it('reject names that a map would lose silently', { tags: ['contract-shape.unknown-field'] }, async () => {
    expectInvalid(await post(withField('"metadata":{"__proto__":"x"}')), ['metadata.__proto__', 'invalid_value']);
    expectInvalid(await post(withField('"headers":{"__proto__":"x"}')), ['headers.__proto__', 'invalid_value']);
  });

  it('keep names that only look special', async () => {
    const metadata = { constructor: 'a', toString: 'b', prototype: 'c' };
    const sent = await server.send({ metadata });
    expect((await server.call('GET', `/emails/${sent.body.id}`)).body.metadata).toEqual(metadata);
  });

  it.each([
    '"subject":"a\\u0000b"',
    '"text":"a\\u0000b"',
    '"text":"\\ud800"',
    '"subject":"\\udfff"',
    '"tags":["\\ud800"]',
  ])('reject %s, in any field', async (json) => {
    const field = /"(\w+)"/.exec(json)?.[1] ?? '';
    const response = await post(JSON.stringify({ ...DEFAULT_SEND, [field]: undefined }).replace('{', `{${json},`));
    expectInvalid(response);
    expect(response.body.errors).toMatchObject([{ path: expect.stringContaining(field), code: 'invalid_unicode' }]);
  });

  it('keep every character that mail can carry', async () => {
    const text = 'Zoë 你好 😀 \u{10ffff} \u00a0 "quotes" \\ </script> {{x}} ; DROP TABLE messages; -- \u200b';
    const { body } = await server.send({ subject: text, text, html: `<p>${text}</p>` });
    const read = await server.settled(body.id);
    expect(read.body).toMatchObject({ status: 'delivered', subject: text, text, html: `<p>${text}</p>` });
  });
});
