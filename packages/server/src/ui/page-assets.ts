import { readFileSync } from 'node:fs';
import { createAssets } from './asset-routes.ts';

/** What pages load. The files are read when the first page is rendered. */
export const PAGE_ASSETS = createAssets([
  { name: 'console.css', contentType: 'text/css; charset=utf-8', read: () => readBeside('console.css') },
  { name: 'console.js', contentType: 'text/javascript; charset=utf-8', read: () => readBeside('generated/console.js') },
]);

function readBeside(file: string): Uint8Array {
  return readFileSync(new URL(file, import.meta.url));
}
