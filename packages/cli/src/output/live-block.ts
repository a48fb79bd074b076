import type { TextSink } from '../cli-io.ts';
import { textWidth } from './text-width.ts';

/** Lines on the terminal that are redrawn in place. */
export interface LiveBlock {
  /** `text` ends with a line break. If it is higher than the window, lines before the last one are omitted. */
  draw(text: string): void;
  /** Erases the lines. */
  clear(): void;
}

const LEFT_OUT = '…';
/** Color sequences, which have no width (ECMA-48: SGR). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
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

/** Moves the cursor up by `rows` and erases everything below (ECMA-48: CUU, ED). */
function upAndErase(rows: number): string {
  return rows === 0 ? '' : `\r\u001b[${rows}A\u001b[J`;
}

/** Lines that scrolled out of the window cannot be erased, so only lines that fit are drawn. The last row is for the cursor. */
function fitRows(lines: readonly string[], { columns, rows }: TextSink): readonly string[] {
  const last = lines.at(-1);
  if (rows === undefined || last === undefined || rowsOf(lines, columns) < rows) return lines;
  const room = rows - 2 - rowsOf([last], columns);
  const shown = lines.filter((_, index) => rowsOf(lines.slice(0, index + 1), columns) <= room);
  return shown.length === 0 ? [last] : [...shown, LEFT_OUT, last];
}

/** In a narrow window, a line can take several rows. */
function rowsOf(lines: readonly string[], columns: number | undefined): number {
  const width = Math.max(1, columns ?? Number.POSITIVE_INFINITY);
  const taken = lines.map((line) => Math.max(1, Math.ceil(textWidth(line.replace(COLOURS, '')) / width)));
  return taken.reduce((sum, count) => sum + count, 0);
}
