import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { ICON_PIXELS, iconPng } from '../generate/icons.ts';
import { readMcpManifest } from '../generate/set-up.ts';
import { ROOT } from '../run-program.ts';
import { bundleProgram } from './bundled-program.ts';
import { BUNDLE_FILES, renderManifest } from './manifest.ts';

/**
 * `pnpm mcpb [file]`: the MCP bundle, by default `dist/postrider.mcpb`, which desktop clients install with one click. The same sources give
 * the same bytes, and the SHA-256 that is printed is what a registry entry for the bundle needs.
 */
const LARGEST_BYTES = 400_000;
const FILE = resolve(process.argv[2] ?? join(ROOT, 'dist/postrider.mcpb'));
/** The earliest time that a zip file can store. */
const MTIME = '1980-01-01T00:00:00';

const manifest = await readMcpManifest(ROOT);
const { code, notices } = await bundleProgram();
const json = (value: unknown) => strToU8(`${JSON.stringify(value, null, 2)}\n`);
const bundle = zipSync(
  {
    [BUNDLE_FILES.manifest]: json(renderManifest(manifest)),
    // The program reads its version from the manifest of its package.
    'package.json': json({ name: 'postrider-mcpb', version: manifest.version, private: true, type: 'module' }),
    [BUNDLE_FILES.entry]: strToU8(code),
    [BUNDLE_FILES.icon]: readFileSync(join(ROOT, iconPng(ICON_PIXELS.large))),
    LICENSE: readFileSync(join(ROOT, 'LICENSE')),
    'NOTICES.txt': strToU8(notices),
  },
  { level: 9, mtime: MTIME },
);
mkdirSync(dirname(FILE), { recursive: true });
writeFileSync(FILE, bundle);

console.log(`${FILE}: ${bundle.length} bytes, SHA-256 ${createHash('sha256').update(bundle).digest('hex')}`);
if (bundle.length > LARGEST_BYTES) {
  console.error(`It is larger than ${LARGEST_BYTES} bytes.`);
  process.exitCode = 1;
}
