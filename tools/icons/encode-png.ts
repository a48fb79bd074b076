import { crc32, deflateSync } from 'node:zlib';

/** A square picture of few colors. */
interface Picture {
  readonly width: number;
  /** Four numbers a pixel: red, green, blue, opacity. */
  readonly rgba: readonly number[];
  /** The hash of what it shows, for the text chunk `Source`. */
  readonly source: string;
}

/** Steps of the opacity and of the colors. Edges of an icon need no more, and few colors make the file a third as large. */
const STEP = 17;
const FINE = 3;
const COARSE = 15;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const DEPTH = 8;
const INDEXED = 3;

/** A PNG with a palette (PNG specification, third edition, sections 5 and 11). */
export function encodePng({ width, rgba, source }: Picture): Buffer {
  const colors = new Map<string, number>();
  const rows = Buffer.alloc(width * (width + 1)); // Each row starts with its filter, which is 0: none.
  for (let pixel = 0; pixel < width * width; pixel += 1) {
    const color = toStep(rgba.slice(pixel * 4, pixel * 4 + 4)).join();
    const index = colors.get(color) ?? colors.size;
    colors.set(color, index);
    rows[pixel + Math.floor(pixel / width) + 1] = index;
  }
  if (colors.size > 256) throw new Error(`${colors.size} colors do not fit into a palette.`);
  const palette = [...colors.keys()].map((color) => color.split(',').map(Number));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  header.set([DEPTH, INDEXED], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from(`Source\0${source}`, 'latin1')),
    chunk('PLTE', Buffer.from(palette.flatMap((color) => color.slice(0, 3)))),
    chunk('tRNS', Buffer.from(palette.map((color) => color[3] ?? 255))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Rounds the opacity of the outer edge, and the mixed colors of the inner one. */
function toStep(color: readonly number[]): readonly number[] {
  const [red = 0, green = 0, blue = 0, opacity = 0] = color;
  const rounded = nearest(opacity, STEP);
  // The color of a pixel that is hardly visible is noise.
  if (rounded === 0) return [0, 0, 0, 0];
  return [red, green, blue].map((value) => nearest(value, rounded === 255 ? FINE : COARSE)).concat(rounded);
}

function nearest(value: number, step: number): number {
  return Math.min(255, Math.round(value / step) * step);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
