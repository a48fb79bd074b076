import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * A headless Chromium: the installed one if there is one, otherwise the one from the packages (Linux on x64).
 * @param extra further command line arguments
 */
export async function startBrowser(extra: readonly string[] = []): Promise<Browser> {
  const installed = INSTALLED.find((path) => existsSync(path));
  const quiet = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    ...extra,
  ];
  if (installed !== undefined) return await chromium.launch({ executablePath: installed, args: quiet });
  const { default: packaged } = await import('@sparticuz/chromium');
  // A single process would end with the first page that closes.
  const args = packaged.args.filter((argument) => argument !== '--single-process' && argument !== '--no-zygote');
  return await chromium.launch({ executablePath: await packaged.executablePath(), args: [...args, ...quiet] });
}
