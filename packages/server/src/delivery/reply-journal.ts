import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { AttemptOutcome } from './attempt-outcome.ts';

/**
 * The journal of final replies. Between a server's last word and our commit lies the one moment in which a crash would send a message
 * twice; so every outcome is written to a local file first, and what a dead process left is recorded at the next start.
 */
export interface ReplyJournal {
  /** Appends outcomes; they survive the process from here on. */
  append(outcomes: readonly AttemptOutcome[]): void;
  /** Forgets everything once all of it is recorded; a no-op while `pending` outcomes are not. */
  clearIfSettled(pending: number): void;
  close(): void;
}

/** Opens this process's journal in `folder`, made where it is missing. One file a process, named after it. */
export function openReplyJournal(folder: string, processName: string): ReplyJournal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${processName}.journal`);
  const file = openSync(path, 'a', 0o600);
  let bytes = 0;
  return {
    append(outcomes) {
      // No fsync: the page cache outlives a killed process, and a power cut may cost a second copy but never a message.
      bytes += writeSync(file, outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join(''));
    },
    clearIfSettled(pending) {
      if (pending > 0 || bytes === 0) return;
      truncateSync(path);
      bytes = 0;
    },
    close() {
      closeSync(file);
      if (bytes === 0) unlinkSync(path);
    },
  };
}

/** What processes that are gone left behind. Call `forget` once the outcomes are recorded. */
export interface LeftJournals {
  readonly outcomes: readonly AttemptOutcome[];
  forget(): void;
}

/** Reads every journal in `folder` but those of processes that still run. A torn last line is the write the crash cut short: skipped. */
export async function readLeftJournals(
  folder: string,
  isRunning: (processName: string) => Promise<boolean>,
): Promise<LeftJournals> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder).filter((name) => name.endsWith('.journal'));
  const running = await Promise.all(names.map((name) => isRunning(name.slice(0, -'.journal'.length))));
  const left = names.filter((_, index) => running[index] === false).map((name) => join(folder, name));
  return {
    outcomes: left.flatMap((path) => readFileSync(path, 'utf8').split('\n').flatMap(parseLine)),
    forget: () => {
      for (const path of left) unlinkSync(path);
    },
  };
}

function parseLine(line: string): AttemptOutcome[] {
  if (line === '') return [];
  try {
    return [JSON.parse(line) as AttemptOutcome]; // Written by `append` above, in our own folder.
  } catch {
    return [];
  }
}
