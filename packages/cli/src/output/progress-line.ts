import type { TextSink } from '../cli-io.ts';

/** One line on the terminal that is redrawn in place. */
export interface ProgressLine {
  readonly isShown: boolean;
  /** `expected`: the total number of rows; null if unknown. */
  show(rows: number, bytes: number, expected: number | null): void;
  /** Erases the line. */
  clear(): void;
}

const BAR_COLUMNS = 24;
const REDRAW_MS = 100;
const TO_LINE_START = '\r\u001b[K';

/** Shown only on a terminal: in a file or a pipe it would be noise. */
export function createProgressLine(sink: TextSink, isQuiet: boolean): ProgressLine {
  const isShown = sink.isTTY === true && !isQuiet;
  let drawnMs = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return {
    isShown,
    show(rows, bytes, expected) {
      const nowMs = performance.now();
      if (!isShown || nowMs - drawnMs < REDRAW_MS) return;
      drawnMs = nowMs;
      isDrawn = true;
      sink.write(`${TO_LINE_START}${describe(rows, bytes, expected)}`);
    },
    clear() {
      if (isDrawn) sink.write(TO_LINE_START);
      isDrawn = false;
    },
  };
}

function describe(rows: number, bytes: number, expected: number | null): string {
  const size = `${(bytes / 1_000_000).toFixed(1)} MB`;
  const count = rows.toLocaleString('en-US');
  if (expected === null || expected === 0) return `${count} messages, ${size}`;
  const share = Math.min(1, rows / expected);
  const filled = Math.round(share * BAR_COLUMNS);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_COLUMNS - filled)}`;
  return `${bar} ${Math.round(share * 100)} %  ${count} messages, ${size}`;
}
