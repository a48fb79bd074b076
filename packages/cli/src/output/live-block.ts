import type { TextSink } from '../cli-io.ts';
import { textWidth } from './text-width.ts';

/** Some lines on the terminal that are written over as a whole. */
export interface LiveBlock {
  /** `text` ends with a line break. Where it is higher than the window, lines before the last one are left out. */
  draw(text: string): void;
  /** Takes the lines away. */
  clear(): void;
}

const LEFT_OUT = '…';
/** Sequences that colour a line, which take none of its width (ECMA-48: SGR). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const COLOURS = /\u001b\[[\d;]*m/g;

export function createLiveBlock(sink: TextSink): LiveBlock {
  let drawn: readonly string[] = [];
  const erase = () => upAndErase(Math.min(rowsOf(drawn, sink.columns), (sink.rows ?? Number.POSITIVE_INFINITY) - 1));
  return {
    draw(text) {
      const lines = fitRows(text.split('\n').slice(0, -1), sink);
      sink.write(`${erase()}${lines.map((line) => `${line}\n`).join('')}`);
      drawn = lines;
    },
    clear() {
      if (drawn.length > 0) sink.write(erase());
      drawn = [];
    },
  };
}

/** Cursor to the first of so many rows, and everything from there on away (ECMA-48: CUU, ED). */
function upAndErase(rows: number): string {
  return rows === 0 ? '' : `\r\u001b[${rows}A\u001b[J`;
}

/** What has scrolled out of the window cannot be written over, so that no more is drawn than is shown. The last row is the cursor's. */
function fitRows(lines: readonly string[], { columns, rows }: TextSink): readonly string[] {
  const last = lines.at(-1);
  if (rows === undefined || last === undefined || rowsOf(lines, columns) < rows) return lines;
  const room = rows - 2 - rowsOf([last], columns);
  const shown = lines.filter((_, index) => rowsOf(lines.slice(0, index + 1), columns) <= room);
  return shown.length === 0 ? [last] : [...shown, LEFT_OUT, last];
}

/** In a window that is narrower, or was made so, lines take more rows than one. */
function rowsOf(lines: readonly string[], columns: number | undefined): number {
  const width = Math.max(1, columns ?? Number.POSITIVE_INFINITY);
  const taken = lines.map((line) => Math.max(1, Math.ceil(textWidth(line.replace(COLOURS, '')) / width)));
  return taken.reduce((sum, count) => sum + count, 0);
}
