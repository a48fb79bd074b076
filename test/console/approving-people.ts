import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { TestSession } from '../harness/session.ts';
import type { TestApp } from '../harness/test-app.ts';

/** A phone, as approvers use most. */
export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };

/** A browser in which a user is signed in, whose clock the test can move. */
export async function browserOfUser(
  browser: Browser,
  server: TestApp,
  { cookie }: Pick<TestSession, 'cookie'>,
  options: BrowserContextOptions = {},
): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const context = await browser.newContext({ baseURL: server.baseUrl, ...options });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  const page = await context.newPage();
  if (options.javaScriptEnabled !== false) await page.clock.install();
  return { context, page };
}

/** Lets the time for an undo pass. */
export async function passUndo(page: Page): Promise<void> {
  await page.clock.fastForward(5_500);
}

/** By how many pixels a page is wider than its window. */
export async function overflowOf(page: Page): Promise<number> {
  return await page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
}

/** A PDF of one page with these words. */
export function pdfOf(words: string): string {
  const stream = `BT /F1 24 Tf 60 760 Td (${words}) Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${stream.length}>>stream\n${stream}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const start = file.length;
  file += `xref\n0 6\n0000000000 65535 f \n${offsets.join('')}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${start}\n%%EOF`;
  return Buffer.from(file).toString('base64');
}
