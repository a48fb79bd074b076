import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { BRAND_MARK } from '../../packages/server/src/ui/icons.ts';
import { type Product, TYPESCRIPT_NOTICE } from './product.ts';

const ICON_FOLDER = 'packages/mcp/icons';
export const ICON_SVG = `${ICON_FOLDER}/postrider.svg`;
/** The widths of the PNG files, which `node tools/icons/main.ts` draws: for a list of servers, and for a page about one. */
export const ICON_PIXELS = { small: 48, large: 512 } as const;
/** The accent of the console in its light scheme. It is legible on dark backgrounds too, because the notch is white. */
const COLOR = '#3446c9';

export function iconPng(pixels: number): string {
  return `${ICON_FOLDER}/postrider-${pixels}.png`;
}

/** The mark as a file of its own: with a namespace, a name and its color. */
export function renderIconSvg(): string {
  const attributes = ' aria-hidden="true" focusable="false"';
  return `${BRAND_MARK.markup
    .replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg" width="22" height="22"')
    .replace(`${attributes}>`, '><title>Postrider</title>')
    .replace('currentColor', COLOR)}\n`;
}

/** The SVG, and the module that the MCP server reads. Clients must be able to show PNG; many refuse SVG, because it can contain scripts. */
export async function renderIcons(root: string): Promise<readonly Product[]> {
  const svg = renderIconSvg();
  const png = await readFile(path.join(root, iconPng(ICON_PIXELS.small)));
  const content = `${TYPESCRIPT_NOTICE.replace('packages/core', ICON_FOLDER)}

/** The mark, for \`serverInfo\`. As data, it can be shown without a request, which many clients do not make to a server on this machine. */
export const ICONS = [
  {
    src: 'data:image/png;base64,${png.toString('base64')}',
    mimeType: 'image/png',
    sizes: ['${ICON_PIXELS.small}x${ICON_PIXELS.small}'],
  },
];
`;
  return [
    { path: ICON_SVG, content: svg },
    { path: 'packages/mcp/src/icons.ts', content },
    { path: 'packages/server/src/ui/generated/page-icon.ts', content: pageIcon(svg, png) },
  ];
}

/** The icons of the server's pages: the SVG for pages that name it, and the ICO that browsers request of every site. */
function pageIcon(svg: string, png: Buffer): string {
  return `${TYPESCRIPT_NOTICE.replace('packages/core', ICON_FOLDER)}

export const ICON_SVG = \`${svg}\`;

/** In base64. */
export const FAVICON_ICO =
  '${toIco(png, ICON_PIXELS.small).toString('base64')}';
`;
}

/** An icon file with one picture, which may be a PNG since Windows Vista. */
function toIco(png: Buffer, pixels: number): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // An icon,
  header.writeUInt16LE(1, 4); // of one picture.
  header.writeUInt8(pixels, 6);
  header.writeUInt8(pixels, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}
