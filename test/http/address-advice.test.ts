import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const BOTH = 'a@x.example, b@x.example';
const ONE = 'is more than one address; pass one address';
const LIST = 'is more than one address; pass each address as an item of a list';

let server: TestApp;
beforeAll(async () => {
  server = await startTestApp();
});
afterAll(() => server.close());

const problems = ({ body }: { body: { errors: { path: string; message: string }[] } }) =>
  Object.fromEntries(body.errors.map(({ path, message }) => [path, message]));

describe('several addresses in one string', () => {
  it('are refused with advice that fits each field of a send', async () => {
    const to = [BOTH, 'c@x.example'];
    const named = 'Ada <a@x.example>, Bob <b@x.example>';
    const refused = await server.send({ from: BOTH, to, cc: BOTH, bcc: named, reply_to: named });
    expect(problems(refused)).toEqual({ from: ONE, 'to.0': LIST, cc: LIST, bcc: LIST, reply_to: ONE });
  });

  it.each([
    ['/emails', 'recipient'],
    ['/emails', 'sender'],
    ['/suppressions', 'email'],
  ])('are refused as a filter of %s', async (path, name) => {
    const refused = await server.call('GET', `${path}?${name}=${encodeURIComponent(BOTH)}`);
    expect(problems(refused)).toEqual({ [name]: ONE });
  });

  it('are refused for a suppression, with the field that accepts several', async () => {
    const refused = await server.call('POST', '/suppressions', { body: { email: BOTH } });
    expect(problems(refused)).toEqual({
      email: 'is more than one address; pass one address here, or several in `emails`',
    });
    expect(problems(await server.call('POST', '/suppressions', { body: { emails: [BOTH] } }))).toEqual({
      'emails.0': LIST,
    });
  });
});

describe('a plus sign that is not encoded', () => {
  it.each([
    ['/emails', 'recipient'],
    ['/emails', 'sender'],
    ['/suppressions', 'email'],
  ])('is explained in an address filter of %s', async (path, name) => {
    const refused = await server.call('GET', `${path}?${name}=ada+x@example.com`);
    expect(problems(refused)).toEqual({
      [name]: 'has a space before the `@`; if it was a `+`, write it as `%2B` in the URL',
    });
    expect((await server.call('GET', `${path}?${name}=ada%2Bx@example.com`)).status).toBe(200);
  });

  it('is not suspected in a display name', async () => {
    const { status } = await server.call('GET', `/emails?recipient=${encodeURIComponent('Ada L <ada@example.com>')}`);
    expect(status).toBe(200);
  });
});
