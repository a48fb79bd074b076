import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrowser } from '../../test/harness/browser.ts';
import { ICON_PIXELS, iconPng, renderIconSvg } from '../generate/icons.ts';
import { ROOT } from '../run-program.ts';
import { encodePng } from './encode-png.ts';

/**
 * `node tools/icons/main.ts` draws the PNG files of the product's mark in Chromium, each with the hash of the SVG that it shows. A test
 * compares these hashes, so the files need to be drawn again only if the mark has changed. Run `pnpm generate` afterwards.
 */
const svg = renderIconSvg();
const source = createHash('sha256').update(svg).digest('hex');
const browser = await startBrowser();
const page = await browser.newPage();
for (const width of Object.values(ICON_PIXELS)) {
  const rgba = await page.evaluate(drawSvg, { svg, width });
  writeFileSync(join(ROOT, iconPng(width)), encodePng({ width, rgba, source }));
  console.log(iconPng(width));
}
await browser.close();

/** Runs in the page. Returns four numbers a pixel: red, green, blue, opacity. */
async function drawSvg(asked: { readonly svg: string; readonly width: number }): Promise<readonly number[]> {
  const image = new Image(asked.width, asked.width);
  image.src = `data:image/svg+xml;base64,${btoa(asked.svg)}`;
  await image.decode();
  const canvas = new OffscreenCanvas(asked.width, asked.width);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser has no canvas.');
  context.drawImage(image, 0, 0, asked.width, asked.width);
  return [...context.getImageData(0, 0, asked.width, asked.width).data];
}
