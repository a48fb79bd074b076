import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONSOLE_PAGES } from '../../packages/server/src/console/web/pages.ts';
import { addressesOf } from '../harness/console-addresses.ts';
import { type ConsoleWorld, startConsoleWorld } from '../harness/console-world.ts';
import { expectInvalid } from '../harness/expect-problem.ts';

const NOT_VALID = '<h1>The address is not valid</h1>';
const MAILBOX = ['/console/mailbox', '/console/mailbox/:id', '/console/mailbox/:id/html'];
const PATHS = [...CONSOLE_PAGES.filter(({ method }) => method === 'GET').map(({ path }) => path), ...MAILBOX];

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

const get = (address: string) => world.owner.call('GET', address);

describe('the address of a page', () => {
  it.each(PATHS)('%s has no filter that the page ignores', async (path) => {
    const [address = ''] = addressesOf(path, world.ids);
    const { status, body } = await get(`${address}${address.includes('?') ? '&' : '?'}kez=1`);
    expect([status, body]).toEqual([422, expect.stringContaining(NOT_VALID)]);
    expect(body).toContain('The address has a filter that this page does not have: <code>kez</code>.');
    expect(body).toContain(`<a href="${address.replaceAll('&', '&amp;')}">Open the page without it</a>`);
  });

  it.each([
    ['/console/messages?limit=-1', '<code>limit</code>', '/console/messages'],
    [
      '/console/messages?__proto__=1&q=a&tag=x&tag=y',
      '<code>__proto__</code>',
      '/console/messages?q=a&amp;tag=x&amp;tag=y',
    ],
    ['/console/audit?constructor=1', '<code>constructor</code>', '/console/audit'],
    ['/console/suppressions?Q=a', '<code>Q</code>', '/console/suppressions'],
    ['/console/suppressions?%3Cb%3E=a', '<code>&lt;b&gt;</code>', '/console/suppressions'],
    ['/console/messages?=1', '<code></code>', '/console/messages'],
    ['/console/messages?status=sent&status=queued', '<code>status</code> more than once', '/console/messages'],
    ['/console/mailbox?q=a&q=b', '<code>q</code> more than once', '/console/mailbox'],
    ['/console/approvals?status=nope', 'must be one of: <code>pending</code>', '/console/approvals'],
    ['/console?by=nope', 'must be one of: <code>tag</code>', '/console'],
    ['/console?metric=nope&window=7d', 'must be one of: <code>sent</code>', '/console?window=7d'],
  ])('%s is not accepted', async (address, named, rest) => {
    const { status, body } = await get(address);
    expect(status).toBe(422);
    expect(body).toContain(named);
    expect(body).toContain(`<a href="${rest}">Open the page without it</a>`);
  });

  it('names every fault', async () => {
    const { body } = await get('/console/messages?a=1&b=2&status=sent');
    expect(body).toContain('<code>a</code>');
    expect(body).toContain('<code>b</code>');
    expect(body).toContain('<a href="/console/messages?status=sent">Open the page without them</a>');
  });

  it('may leave the filters of a form empty', async () => {
    for (const address of ['/console/messages?q=&status=&tag=', '/console/approvals?status=', '/console/audit?action='])
      expect((await get(address)).status).toBe(200);
  });

  it('is valid in every kind of link in the console', async () => {
    const [seen, open] = [new Set<string>(), ['/console']];
    for (let address = open.pop(); address !== undefined; address = open.pop()) {
      const { body } = await get(address);
      expect([address, body]).toEqual([address, expect.not.stringContaining(NOT_VALID)]);
      for (const [, href = ''] of String(body).matchAll(/(?:href|src)="(\/console[^"#]*)/g)) {
        const kind = href.replaceAll(/[0-9a-f-]{36}/g, ':id').replaceAll(/=[^&]*/g, '');
        if (seen.has(kind)) continue;
        seen.add(kind);
        open.push(href.replaceAll('&amp;', '&'));
      }
    }
    expect([...seen].filter((kind) => kind.includes('?')).length).toBeGreaterThan(15);
  });
});

it('the stream of live changes has no parameter that is ignored', async () => {
  expectInvalid(await get('/console/live?watch=messages&key=x'), ['key', 'unknown_field']);
});
