import type { CliIo } from '../cli-io.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Paint, paintFor } from './paint.ts';
import { inertJson, singleLine } from './untrusted-text.ts';

/** Where a command's answer and remarks go. Data goes to stdout, everything else to stderr. */
export interface Output {
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly paint: Paint;
  /** Columns of the terminal, or null where stdout is none. */
  readonly width: number | null;
  /** The API's answer as one JSON document with a newline at its end. */
  writeJson(answer: unknown): void;
  /** The answer as people read it. */
  writeText(text: string): void;
  /** Hints and progress, for people: not with --json, not with --quiet. */
  remark(text: string): void;
}

export async function createOutput(io: CliIo, options: GlobalOptions): Promise<Output> {
  const isTerminal = io.stdout.isTTY === true;
  // What measures texts takes as long to load as a command without a terminal to run.
  const wrap = io.stderr.isTTY === true ? (await import('./wrap-text.ts')).wrapForTerminal : null;
  return {
    isJson: options.isJson,
    isQuiet: options.isQuiet,
    paint: paintFor(options.hasColor && isTerminal),
    width: isTerminal ? (io.stdout.columns ?? 80) : null,
    writeJson: (answer) => {
      io.stdout.write(`${inertJson(JSON.stringify(answer, null, isTerminal ? 2 : undefined))}\n`);
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
