import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PAGE_ASSETS } from '../../packages/server/src/ui/page-assets.ts';
import { startBrowser } from '../harness/browser.ts';
import { createBomb, createPdf, toStream } from '../harness/pdf-samples.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let server: TestApp;
let browser: Browser;
/** Where hostile files point to. */
let canary: Server;
let canaryUrl: string;
const caught: string[] = [];
const pages: Page[] = [];

beforeAll(async () => {
  server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  browser = await startBrowser();
  canary = createServer((request, response) => {
    caught.push(request.url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => canary.once('listening', resolve));
  canaryUrl = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`; // It listens on a port.
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
});
afterAll(async () => {
  await browser.close();
  canary.close();
  await server.close();
});

/** A page of this server with the frame, which shows a PDF. Its policy is that of a page of the console. */
async function open(pdf: Uint8Array, { width = 1_000, height = 900 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  pages.push(page);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  if (process.env['TEST_LOG']) page.on('console', (message) => console.log(message.text()));
  await context.addCookies([{ name: 'session', value: 'secret-cookie', url: server.baseUrl }]);
  const view = PAGE_ASSETS.url('pdf-view.js');
  await page.route(`${server.baseUrl}/page`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: {
        'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; frame-src 'self'",
      },
      body: `<!doctype html><title>Page</title><meta name="viewport" content="width=device-width">
        <body style="margin:0" data-secret="dom"><iframe sandbox="allow-scripts" src="/assets/pdf/frame" title="a.pdf"
        style="display:block;width:100%;border:0"></iframe>`,
    }),
  );
  await page.goto(`${server.baseUrl}/page`);
  // As text, because the test runner would rewrite an import.
  const outcome = await page.evaluate(`(async () => {
    const { showPdf } = await import(${JSON.stringify(view)});
    const bytes = Uint8Array.from(atob(${JSON.stringify(Buffer.from(pdf).toString('base64'))}), (c) => c.charCodeAt(0)).buffer;
    return await showPdf(document.querySelector('iframe'), bytes).catch((error) => error.message);
  })()`);
  const frame = page.frames().find((each) => each !== page.mainFrame());
  if (frame === undefined) throw new Error('There is no frame.');
  return { page, frame, outcome, requests };
}

/** How many pixels of a drawn page are dark. */
async function darkPixels(frame: Frame, number = 1): Promise<number> {
  return await frame
    .locator('canvas')
    .nth(number - 1)
    .evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const data = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      let dark = 0;
      for (let at = 0; at < data.length; at += 4) if ((data[at] ?? 255) < 128) dark += 1;
      return dark;
    });
}

const UNREADABLE = 'This file is not a readable PDF. Download it only if you expect it.';
const SLOW = 'This PDF takes too long to show. Download it only if you expect it.';
const FONTS = [
  'Helvetica',
  'Helvetica-Bold',
  'Helvetica-Oblique',
  'Helvetica-BoldOblique',
  'Times-Roman',
  'Times-Bold',
].concat(
  ['Times-Italic', 'Times-BoldItalic', 'Courier', 'Courier-Bold', 'Courier-Oblique', 'Courier-BoldOblique', 'Symbol'],
  ['ZapfDingbats'],
);

/** How far the content of the frame, and that of the page, extend beyond their width. */
async function overflow({ page, frame }: { readonly page: Page; readonly frame: Frame }): Promise<number[]> {
  const extent = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  return [await page.evaluate(extent), await frame.evaluate(extent)];
}

describe('a PDF in a page', () => {
  it('shows its pages, and their text to screen readers', async () => {
    const { page, frame, outcome, requests } = await open(createPdf({ pages: ['Invoice 4711', 'Second page'] }));
    expect(outcome).toEqual({ shown: 2, pages: 2 });
    expect(await darkPixels(frame)).toBeGreaterThan(1_000);
    expect(await frame.locator('section[aria-label="Page 1 of 2"] .text').textContent()).toBe('Invoice 4711');
    await frame.locator('section').nth(1).scrollIntoViewIfNeeded();
    await expect.poll(() => frame.locator('.text').allTextContents()).toEqual(['Invoice 4711', 'Second page']);
    expect(await page.locator('iframe').evaluate((element) => element.clientHeight)).toBe(1_200);
    // The worker is one of this frame: `Setting up fake worker` would mean that a hostile file blocks it.
    expect(page.workers().map((worker) => worker.url())).toEqual([expect.stringMatching(/^blob:/)]);
    expect(requests.filter((url) => !url.startsWith(`${server.baseUrl}/`) && !url.startsWith('blob:'))).toEqual([]);
  });

  it('shows text in each of the 14 fonts that files need not contain', async () => {
    const lines = FONTS.map((_, n) => `/F${n + 1} 30 Tf 1 0 0 1 40 ${790 - 55 * n} Tm (Invoice) Tj`).join(' ');
    const { frame } = await open(createPdf({ fonts: FONTS, content: toStream(`BT ${lines} ET`) }));
    const dark = await frame.locator('canvas').evaluate((element, count) => {
      const canvas = element as HTMLCanvasElement;
      const context = canvas.getContext('2d');
      return Array.from({ length: count }, (_, line) => {
        const top = ((842 - (820 - 55 * line)) / 842) * canvas.height;
        const { data } = context?.getImageData(0, top, canvas.width, (40 / 842) * canvas.height) ?? { data: [] };
        return Array.from(data).filter((value, at) => at % 4 === 0 && value < 128).length;
      });
    }, FONTS.length);
    expect(dark.filter((count) => count < 300)).toEqual([]);
  });

  it('reads text whose character map is not in the file', async () => {
    const descendant = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light
      /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>`;
    const font = `<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [${descendant}] >>`;
    const resources = '/ExtGState << >>';
    const content = toStream('BT /F2 48 Tf 60 700 Td <4E2D6587> Tj ET');
    const pdf = createPdf({ content, resources }).toString('latin1').replace('/F1 <<', `/F2 ${font} /F1 <<`);
    const { frame } = await open(Buffer.from(pdf, 'latin1'));
    expect(await frame.locator('.text').textContent()).toBe('中文');
  });

  it('shows scans, whose decoder is a WebAssembly module', async () => {
    // Eight white lines of eight pixels, inverted.
    const image = {
      dictionary: `/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 1 /ColorSpace /DeviceGray /Decode [1 0]
        /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 8 /Rows 8 /EndOfBlock false >>`,
      stream: Buffer.from([0xff]),
    };
    const content = toStream('q 400 0 0 400 50 200 cm /Scan Do Q');
    const { frame } = await open(createPdf({ extra: [image], resources: '/XObject << /Scan 100 0 R >>', content }));
    expect(await darkPixels(frame)).toBeGreaterThan(100_000);
  });

  it.each(['0 0 595 842', '0 0 5000 200', '0 0 20 20000', '0 0 1000000 1000000', '0 0 0 0', '0 0 1e30 -1'])(
    'fits a phone, and bounds the memory of a page of the size %s',
    async (mediaBox) => {
      const opened = await open(createPdf({ mediaBox }), { width: 360, height: 740 });
      expect(opened.outcome).toEqual({ shown: 1, pages: 1 });
      expect(await overflow(opened)).toEqual([0, 0]);
      const pixels = await opened.frame.locator('canvas').evaluate((element) => {
        const { width, height } = element as HTMLCanvasElement;
        return width * height;
      });
      expect(pixels).toBeLessThanOrEqual(8 * 1024 * 1024);
    },
  );

  it('shows the first 50 of 10,000 pages, keeps few of them in memory, and says so', async () => {
    const { frame, outcome } = await open(
      createPdf({ pages: Array.from({ length: 10_000 }, (_, n) => `Page ${n + 1}`) }),
    );
    expect(outcome).toEqual({ shown: 50, pages: 10_000 });
    await frame.getByText('Only the first 50 of 10000 pages are shown. Download the file to read the rest.').waitFor();
    expect(await frame.locator('section').count()).toBe(50);
    for (const number of [10, 20, 30, 40, 50]) {
      await frame
        .locator('section')
        .nth(number - 1)
        .scrollIntoViewIfNeeded();
      await frame
        .locator('section')
        .nth(number - 1)
        .locator('.text')
        .waitFor({ state: 'attached' });
    }
    const kept = await frame
      .locator('canvas')
      .evaluateAll(
        (all) => all.filter((each) => each.clientHeight > 0 && (each as HTMLCanvasElement).width > 300).length,
      );
    expect(kept).toBeLessThanOrEqual(12);
  });
});

describe('a hostile file', () => {
  it.each([
    ['text', Buffer.from('Hello, this is no PDF.')],
    ['a page', Buffer.from('<!doctype html><script>parent.postMessage({ kind: "shown" }, "*")</script>')],
    ['nothing', Buffer.alloc(0)],
    ['the begin of a PDF', createPdf().subarray(0, 60)],
  ])('that is %s is not shown', async (_name, bytes) => {
    const { page, outcome } = await open(bytes);
    expect(outcome).toBe(UNREADABLE);
    expect(await page.locator('iframe').getAttribute('src')).toBe('about:blank');
  });

  it('that is cut off is shown as far as it can be read', async () => {
    const pdf = createPdf({ pages: ['First', 'Second'] });
    expect((await open(pdf.subarray(0, pdf.indexOf('startxref')))).outcome).toEqual({ shown: 2, pages: 2 });
    expect((await open(pdf.subarray(0, pdf.indexOf('trailer')))).outcome).toBe(UNREADABLE);
  });

  it('runs no actions, follows no links and loads nothing', async () => {
    const actions = [
      '<< /S /JavaScript /JS (app.alert\\(1\\); app.launchURL\\("URL"\\); this.submitForm\\("URL"\\);) >>',
      '<< /S /URI /URI (URL/uri) >>',
      '<< /S /Launch /F (/usr/bin/xcalc) /Win << /F (calc.exe) >> >>',
      '<< /S /SubmitForm /F << /FS /URL /F (URL/form) >> >>',
      '<< /S /GoToR /F << /FS /URL /F (URL/remote) >> /D [0 /Fit] >>',
      '<< /S /ImportData /F << /FS /URL /F (URL/data) >> >>',
    ].map((action) => action.replaceAll('URL', canaryUrl));
    const chain = actions
      .map((action) => action.replace(/ >>$/, ''))
      .reduceRight((next, action) => `${action} /Next ${next} >>`, '[]');
    const everywhere = `/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 595 842] /A ${chain} >>
      << /Type /Annot /Subtype /Widget /FT /Btn /T (b) /Rect [0 0 595 842] /A ${chain} /AA << /E ${chain} /PV ${chain} >> >>
      << /Type /Annot /Subtype /FileAttachment /Rect [0 0 90 90] /FS << /Type /Filespec /F (evil.exe) /EF << /F 100 0 R >> >> >>]
      /AA << /O ${chain} /C ${chain} >>`;
    const pdf = createPdf({
      extra: [
        toStream('MZ', '/Type /EmbeddedFile'),
        { dictionary: `/F << /FS /URL /F (${canaryUrl}/stream) >>`, stream: Buffer.alloc(0) },
      ],
      catalog: `/OpenAction ${chain} /AA << /WC ${chain} >> /Names << /JavaScript << /Names [(a) ${chain}] >>
        /EmbeddedFiles << /Names [(evil.exe) << /Type /Filespec /F (evil.exe) /EF << /F 100 0 R >> >>] >> >> /AcroForm << /XFA 101 0 R /Fields [] >>`,
      page: everywhere,
    });
    const { page, frame, outcome, requests } = await open(pdf);
    expect(outcome).toEqual({ shown: 1, pages: 1 });
    const events: string[] = [];
    page.on('dialog', () => events.push('dialog'));
    page.on('popup', () => events.push('popup'));
    page.on('download', () => events.push('download'));
    await page.locator('iframe').click({ position: { x: 200, y: 200 } });
    await page.keyboard.press('Enter');
    await frame.locator('.text').waitFor({ state: 'attached' });
    expect(await frame.locator('a, input, button, iframe, object, embed').count()).toBe(0);
    expect({ events, caught, url: page.url() }).toEqual({ events: [], caught: [], url: `${server.baseUrl}/page` });
    expect(requests.filter((url) => url.startsWith(canaryUrl))).toEqual([]);
  });

  it('cannot reach the session, the page or another server, even if it takes over the frame', async () => {
    const { page, frame } = await open(createPdf());
    const attempt = async (script: string) =>
      await frame.evaluate(
        `(async () => { try { return String(await (${script})); } catch (error) { return error.name; } })()`,
      );
    expect(await attempt('document.cookie')).toBe('SecurityError');
    expect(await attempt('parent.document.body.dataset.secret')).toBe('SecurityError');
    expect(await attempt('localStorage.length')).toBe('SecurityError');
    expect(await attempt('parent.location.href')).toBe('SecurityError');
    expect(await attempt(`fetch('${server.baseUrl}/health')`)).toBe('TypeError');
    expect(await attempt(`fetch('${canaryUrl}/fetch', { mode: 'no-cors' })`)).toBe('TypeError');
    await attempt(`navigator.sendBeacon('${canaryUrl}/beacon')`);
    await attempt(`new WebSocket('${canaryUrl.replace('http', 'ws')}/socket')`);
    await attempt(
      `new Promise((resolve) => { const image = new Image(); image.onerror = resolve; image.src = '${canaryUrl}/image'; })`,
    );
    await attempt(
      `new Promise((resolve) => { const script = document.createElement('script'); script.onerror = resolve; script.src = '${canaryUrl}/script'; document.body.append(script); })`,
    );
    await attempt(`top.location = '${canaryUrl}/top'`);
    await attempt(`window.open('${canaryUrl}/popup')`);
    await attempt(
      `document.body.insertAdjacentHTML('beforeend', '<form action="${canaryUrl}/form" method="post"></form>') ?? document.forms[0].submit()`,
    );
    expect(page.url()).toBe(`${server.baseUrl}/page`);
    // Last, because nothing of it is left: the policy of the page refuses the navigation.
    await frame.evaluate(`location.href = '${canaryUrl}/navigate'`).catch(() => {});
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
    expect(caught).toEqual([]);
  });

  it('cannot push the page out of reach with a false height, and other windows set none', async () => {
    const { page, frame } = await open(createPdf());
    const height = () => page.locator('iframe').evaluate((element) => element.style.height);
    for (const [claim, shown] of [
      ['1e9', '1200px'],
      ['-5', '120px'],
      ['"500px; position: fixed"', '120px'],
      ['NaN', '120px'],
    ]) {
      await frame.evaluate(`parent.postMessage({ kind: 'height', height: ${claim} }, '*')`);
      await expect.poll(height).toBe(shown);
    }
    await page.evaluate(`new Promise((resolve) => {
      addEventListener('message', resolve, { once: true });
      postMessage({ kind: 'height', height: 700 }, '*');
    })`);
    expect(await height()).toBe('120px');
  });

  it('that expands on a later page still shows the pages before it', { timeout: 120_000 }, async () => {
    const opened = await open(createPdf({ pages: ['First', 'Bomb'], lastContent: createBomb(400) }), { height: 400 });
    const { page, frame, outcome } = opened;
    expect(outcome).toEqual({ shown: 2, pages: 2 });
    const last = frame.locator('section').nth(1);
    await last.scrollIntoViewIfNeeded();
    await last.getByText('This page cannot be shown. Download the file to read it.').waitFor({ timeout: 60_000 });
    await expect.poll(() => page.workers()).toEqual([]);
    expect(await frame.locator('.text').allTextContents()).toEqual(['First']);
    expect(await page.locator('iframe').getAttribute('src')).toBe('/assets/pdf/frame');
  });

  it('that expands without end is given up, and the page stays usable', { timeout: 120_000 }, async () => {
    const { page, outcome } = await open(createPdf({ content: createBomb(400) }));
    expect([SLOW, UNREADABLE]).toContain(outcome);
    expect(await page.evaluate(() => document.title)).toBe('Page');
    expect(page.workers()).toEqual([]);
  });
});
