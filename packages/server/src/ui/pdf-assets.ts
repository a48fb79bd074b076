import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { AssetSource } from './asset-routes.ts';

const SCRIPT = 'text/javascript; charset=utf-8';

/** The viewer of PDF files: ours in console/client/, and the library's. None is read before the first PDF is opened. */
export const PDF_ASSETS: readonly AssetSource[] = [
  { name: 'pdf-view.js', contentType: SCRIPT, read: () => readOurs('pdf-view.js') },
  ofFrame('pdf-frame.css', () => readOurs('pdf-frame.css'), 'text/css; charset=utf-8'),
  ...['pdf-frame.js', 'pdf-page.js', 'pdf-data.js'].map((name) => ofFrame(name, () => readOurs(name))),
  // The build for browsers of the last years: approvers read on their own phones.
  ofFrame('pdf.js', () => readFileSync(join(library(), 'legacy/build/pdf.min.mjs'))),
  ofFrame('pdf-worker.js', () => readFileSync(join(library(), 'legacy/build/pdf.worker.min.mjs'))),
  ofFrame('pdf-fonts.js', () => bundle('standard_fonts', /\.(?:pfb|ttf)$/)),
  ofFrame('pdf-cmaps.js', () => bundle('cmaps', /\.bcmap$/)),
  ofFrame('pdf-decoders.js', () => bundle('wasm', /^(?:jbig2|openjpeg)\.wasm$/)),
];

/** The frame has an opaque origin. */
function ofFrame(name: string, read: AssetSource['read'], contentType: string = SCRIPT): AssetSource {
  return { name, contentType, isForEveryOrigin: true, read };
}

function readOurs(name: string): Buffer {
  return readFileSync(new URL(`../console/client/${name}`, import.meta.url));
}

function library(): string {
  return dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
}

/** The files of a folder as a script, because the frame may fetch nothing. */
function bundle(folder: string, pattern: RegExp): string {
  const place = join(library(), folder);
  const files = readdirSync(place).filter((name) => pattern.test(name));
  const contents = files.map((name) => [name, readFileSync(join(place, name)).toString('base64')]);
  return `export default ${JSON.stringify(Object.fromEntries(contents))};\n`;
}
