import { readFileSync } from 'node:fs';
import { createAssets } from './asset-routes.ts';
import { ICON_SVG } from './generated/page-icon.ts';
import { PDF_ASSETS } from './pdf-assets.ts';

/** What pages load. Each file is read when it is first used. */
export const PAGE_ASSETS = createAssets([
  { name: 'console.css', contentType: 'text/css; charset=utf-8', read: () => readBeside('console.css') },
  { name: 'console.js', contentType: 'text/javascript; charset=utf-8', read: () => readBeside('generated/console.js') },
  { name: 'icon.svg', contentType: 'image/svg+xml', read: () => ICON_SVG },
  ...PDF_ASSETS,
  { name: 'passkey.js', contentType: 'text/javascript; charset=utf-8', read: () => readBeside('generated/passkey.js') },
]);

function readBeside(file: string): Uint8Array {
  return readFileSync(new URL(file, import.meta.url));
}
