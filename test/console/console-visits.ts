import type { Browser, Page } from 'playwright-core';
import type { TestSession } from '../harness/session.ts';
import type { TestApp, TestResponse } from '../harness/test-app.ts';

type Fields = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

/** Sends a form as a browser does. */
export function postForm(session: TestSession, path: string, fields: Fields = {}): Promise<TestResponse> {
  const entries = Array.isArray(fields) ? fields.map(([name, value]) => [name, value]) : Object.entries(fields);
  return session.call('POST', path, {
    rawBody: new URLSearchParams(entries).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

export interface VisitOptions {
  readonly width?: number;
  readonly hasScript?: boolean;
}

/** Opens a page of the console in a browser context of its own. */
export async function visit(
  { server, browser, session }: { server: TestApp; browser: Browser; session: TestSession },
  path: string,
  { width = 1_280, hasScript = true }: VisitOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled: hasScript });
  const [name = '', value = ''] = session.cookie.split('=');
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  const page = await context.newPage();
  await page.goto(`${server.baseUrl}${path}`);
  return page;
}

/** How many pixels the page is wider than its window, whose scroll bar may take some. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
}
