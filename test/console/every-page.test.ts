import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONSOLE_PAGES } from '../../packages/server/src/console/web/pages.ts';
import { startBrowser } from '../harness/browser.ts';
import { addressesOf } from '../harness/console-addresses.ts';
import { type ConsoleWorld, startConsoleWorld } from '../harness/console-world.ts';
import { type CheckedPage, openCheckedPage, readMainText } from '../harness/page-faults.ts';
import type { TestSession } from '../harness/session.ts';

const PATHS = CONSOLE_PAGES.filter(({ method }) => method === 'GET').map(({ path }) => path);
/** Document, styles and scripts of a first visit, as transferred: a fifth of a second in a slow mobile network. */
const TRANSFER_BYTES = 100_000;
/** Lists that find nothing. */
const MISSES = ['/console/suppressions?q=nothing-like-this', '/console/messages?q=nothing-like-this'];

let world: ConsoleWorld;
let browser: Browser;
let checked: CheckedPage;
let withoutScript: BrowserContext;

beforeAll(async () => {
  world = await startConsoleWorld();
  browser = await startBrowser();
  checked = await openCheckedPage(await openContext(world.owner), world.server.baseUrl);
  withoutScript = await openContext(world.owner, { javaScriptEnabled: false });
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

async function openContext(
  { cookie }: Pick<TestSession, 'cookie'>,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ timezoneId: 'Asia/Kolkata', ...options });
  const [name = '', value = ''] = cookie.split(/=(.*)/s);
  await context.addCookies([{ name, value, url: world.server.baseUrl }]);
  return context;
}

/** Files, and the HTML of messages for their frames, are no pages. */
async function pagesOf(addresses: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const address of addresses) {
    const { body } = await world.owner.call('GET', address);
    if (typeof body === 'string' && body.includes('<div class="console"')) found.push(address);
  }
  return found;
}

describe('the checks', () => {
  it('find the faults of a page', async () => {
    const { page, check } = checked;
    const body = `<title>Faulty</title><main><h1>One</h1><h1>Two</h1><div class="card"><p class="faint">${'w'.repeat(400)}</p></div>
<p>At 2026-01-02T03:04:05Z it was soft_bounced: undefined, null, NaN</p><input><img src="https://elsewhere.example/x.png">
<p id="pale">pale</p><script>document.getElementById('pale').style.color = '#ccc'; console.error('broken'); missing()</script></main>`;
    await page.route('**/faulty', (route) => route.fulfill({ contentType: 'text/html', body }));
    const faults = (await check('/faulty')).join('\n');
    // Requests of the faulty page must not count as faults of the next one.
    await page.goto('about:blank');
    await page.unroute('**/faulty');
    for (const fault of [
      ...['the page is', 'main is', '2 h1', 'title: Faulty', 'a time as in the API', 'a value that is none', 'a code'],
      ...['request: https://elsewhere.example/', 'console: broken', 'script: missing is not defined'],
      ...['wide: axe label', 'wide: axe color-contrast', 'telephone: axe image-alt', 'axe html-has-lang'],
    ]) {
      expect(faults).toContain(fault);
    }
  });
});

describe.each(PATHS)('%s', (path) => {
  it('has real ids in this test', () => expect(addressesOf(path, world.ids)).not.toEqual([]));

  it('has no fault in any size and color, and says the same without scripts', {
    tags: ['console.pages.accessible', 'console.pages.fit', 'console.pages.without-scripts'],
  }, async () => {
    const faults: string[] = [];
    const plain = await withoutScript.newPage();
    for (const address of await pagesOf(addressesOf(path, world.ids))) {
      faults.push(...(await checked.check(address)));
      const url = `${world.server.baseUrl}${address}`;
      const without = await readMainText(plain, url);
      const withScript = await readMainText(checked.page, url);
      if (without !== withScript) faults.push(`${address}: without scripts: ${firstDifference(without, withScript)}`);
    }
    await plain.close();
    expect(faults).toEqual([]);
  });

  it(`needs at most ${TRANSFER_BYTES.toLocaleString('en-US')} bytes at the first visit`, {
    tags: ['console.pages.small'],
  }, async () => {
    for (const address of await pagesOf(addressesOf(path, world.ids))) {
      const { body } = await world.owner.call('GET', address);
      const assets = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, url = '']) => url);
      expect(assets.length).toBeGreaterThanOrEqual(2);
      const sizes = await Promise.all([address, ...assets].map(transferredBytes));
      expect([address, sizes.reduce((sum, bytes) => sum + bytes)]).toEqual([address, expect.toSatisfy(isSmall)]);
    }
  });
});

const isSmall = (bytes: number) => bytes > 1_000 && bytes <= TRANSFER_BYTES;

async function transferredBytes(address: string): Promise<number> {
  const { headers } = await world.owner.call('GET', address, { headers: { 'accept-encoding': 'gzip, br' } });
  expect([address, headers.get('content-encoding')]).toEqual([address, 'br']);
  return Number(headers.get('content-length'));
}

describe('in an account that contains nothing', () => {
  it.each(PATHS.filter((path) => !path.includes(':')))('%s has no fault', async (path) => {
    const empty = await openCheckedPage(await openContext(world.newcomer), world.server.baseUrl);
    expect(await empty.check(path)).toEqual([]);
    await empty.close();
  });
});

describe('a list in which nothing matches', () => {
  it.each(MISSES)('%s has no fault', async (address) => expect(await checked.check(address)).toEqual([]));
});

function firstDifference(one: string, other: string): string {
  const at = [...one].findIndex((character, index) => character !== other[index]);
  const from = Math.max(0, (at === -1 ? one.length : at) - 30);
  return JSON.stringify([one.slice(from, from + 80), other.slice(from, from + 80)]);
}
