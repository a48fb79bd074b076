import type { CliIo } from '../cli-io.ts';
import type { GlobalOptions } from '../global-options.ts';
import { cutToWidth } from './text-width.ts';
import { singleLine } from './untrusted-text.ts';

/** The progress of a command with many steps. */
export interface Progress {
  /** `done` steps are finished; `label` names the current one. */
  show(done: number, label: string): void;
  /** Erases it from the terminal. */
  end(): void;
}

const BAR_COLUMNS = 24;
const CLEAR_LINE = '\r\u001b[K';

/** A bar on one line of the terminal. Shows nothing if stderr is not a terminal, with --quiet, or for a single step. */
export function createProgress({ stderr }: CliIo, { isQuiet }: GlobalOptions, total: number): Progress {
  if (stderr.isTTY !== true || isQuiet || total < 2) return { show: () => {}, end: () => {} };
  return {
    show: (done, label) => {
      const filled = Math.round((done / total) * BAR_COLUMNS);
      const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_COLUMNS - filled)}]`;
      const line = `${bar} ${done}/${total} ${singleLine(label)}`;
      stderr.write(`${CLEAR_LINE}${cutToWidth(line, (stderr.columns || 80) - 1)}`);
    },
    end: () => stderr.write(CLEAR_LINE),
  };
}
