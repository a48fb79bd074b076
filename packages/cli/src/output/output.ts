import type { CliIo } from '../cli-io.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Paint, paintFor } from './paint.ts';
import { inertJson, singleLine } from './untrusted-text.ts';

/** Prints the result and the notices of a command: data to stdout, everything else to stderr. */
export interface Output {
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly paint: Paint;
  /** Columns of the terminal, or null if stdout is not a terminal. */
  readonly width: number | null;
  /** Prints the response as one JSON document with a newline at the end. */
  writeJson(response: unknown): void;
  /** Prints the result as text. */
  writeText(text: string): void;
  /** Prints a hint or progress; not with --json or --quiet. */
  remark(text: string): void;
}

export async function createOutput(io: CliIo, options: GlobalOptions): Promise<Output> {
  const isTerminal = io.stdout.isTTY === true;
  // The code that measures text takes as long to load as a command takes to run without a terminal.
  const wrap = io.stderr.isTTY === true ? (await import('./wrap-text.ts')).wrapForTerminal : null;
  return {
    isJson: options.isJson,
    isQuiet: options.isQuiet,
    paint: paintFor(options.hasColor && isTerminal),
    width: isTerminal ? io.stdout.columns || 80 : null,
    writeJson: (response) => {
      io.stdout.write(`${inertJson(JSON.stringify(response, null, isTerminal ? 2 : undefined))}\n`);
    },
    writeText: (text) => {
      if (text !== '') io.stdout.write(text);
    },
    remark: (text) => {
      if (options.isQuiet || options.isJson) return;
      const line = singleLine(text);
      io.stderr.write(wrap === null ? `${line}\n` : wrap(line, io.stderr));
    },
  };
}
