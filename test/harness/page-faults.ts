import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { inspectPage, mainText } from './inspect-page.ts';

/** A tab that reports every fault of the pages that it opens. */
export interface CheckedPage {
  readonly page: Page;
  /** Loads an address, and checks it at each size in light and dark colors. */
  check(address: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

const SIZES = { wide: { width: 1_360, height: 900 }, telephone: { width: 360, height: 780 } } as const;
const HUGE = { width: 2_560, height: 1_300 };
/** What depends on the color scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

export async function openCheckedPage(context: BrowserContext, baseUrl: string): Promise<CheckedPage> {
  const page = await context.newPage();
  // As a script of the browser: the policy of the pages stays in force, and lets no other in.
  await page.addInitScript({ content: AXE });
  const complaints: string[] = [];
  page.on('console', (message) => {
    // In the frame of a message, the policy is what blocks its content.
    const isOfFrame = message.location().url !== page.url() && message.text().includes('Content Security Policy');
    if (['error', 'warning'].includes(message.type()) && !isOfFrame) complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', ({ message }) => complaints.push(`script: ${message}`));
  const judge = (request: Request) => {
    const url = request.url();
    if (url.startsWith(`${baseUrl}/`) || url.startsWith('data:') || request.failure()?.errorText === 'csp') return;
    complaints.push(`request: ${url.slice(0, 100)}`);
  };
  page.on('requestfinished', judge);
  page.on('requestfailed', judge);
  return {
    page,
    async check(address) {
      complaints.length = 0;
      await page.setViewportSize(SIZES.wide);
      await page.emulateMedia({ colorScheme: 'light' });
      const response = await page.goto(`${baseUrl}${address}`, { waitUntil: 'load' });
      await page.evaluate(showAllRows);
      const status = response?.status() === 200 ? [] : [`status ${response?.status()}`];
      const faults = [...(await checkSize(page, 'wide')), ...(await checkSize(page, 'telephone'))];
      await page.setViewportSize(HUGE);
      const onHuge = (await page.evaluate(inspectPage)).map((fault) => `2,560 px: ${fault}`);
      return [...new Set([...status, ...complaints, ...faults, ...onHuge])].map((fault) => `${address}: ${fault}`);
    },
    close: () => page.close(),
  };
}

/** Rows out of sight are not laid out, so nothing could be said about their size. */
function showAllRows(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { content-visibility: visible !important }');
  document.adoptedStyleSheets = [sheet];
}

async function checkSize(page: Page, size: keyof typeof SIZES): Promise<readonly string[]> {
  await page.setViewportSize(SIZES[size]);
  await page.emulateMedia({ colorScheme: 'light' });
  const content = await page.evaluate(inspectPage);
  const light = await page.evaluate(runAxe, null);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = (await page.evaluate(runAxe, COLOR_RULES)).map((fault) => `dark: ${fault}`);
  return [...content, ...light, ...dark].map((fault) => `${size}: ${fault}`);
}

/** What the main part shows, without what scripts write in another form: times, the state of the live stream, buttons of scripts. */
export async function readMainText(page: Page, address: string): Promise<string> {
  await page.goto(address, { waitUntil: 'load' });
  return await page.evaluate(mainText);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Runs in the page. WCAG 2.2 up to AA, and what the authors of axe recommend beyond it. */
async function runAxe(only: readonly string[] | null): Promise<string[]> {
  const { axe } = window as unknown as { readonly axe: typeof import('axe-core') }; // From the script of the browser.
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = await axe.run(document, {
    runOnly: only === null ? { type: 'tag', values: tags } : { type: 'rule', values: [...only] },
    ...(only === null ? { rules: { 'target-size': { enabled: true } } } : {}),
    resultTypes: ['violations'],
    // The frames of messages have content of third parties, and no scripts that could respond.
    iframes: false,
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 2).map(({ html, any, all, none }) => {
      const why = [...any, ...all, ...none].map(({ message }) => message).join('; ');
      return `axe ${id}: ${html.slice(0, 160)}: ${why.slice(0, 200)}`;
    }),
  );
}
