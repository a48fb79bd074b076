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
  /** Appends outcomes; they survive the process from here on. Does nothing after `close`. */
  append(outcomes: readonly AttemptOutcome[]): void;
  /** Forgets what is recorded, which is everything but the last `pending` outcomes that were appended. */
  clearIfSettled(pending: number): void;
  close(): void;
}

/** Under steady load something is always pending, so a file that is only ever emptied as a whole would grow for as long. */
const SEGMENT_OCTETS = 1_048_576;

interface Segment {
  readonly path: string;
  readonly file: number;
  octets: number;
  outcomes: number;
}

/** Opens this process's journal in `folder`, made where it is missing. Its files are named after the process. */
export function openReplyJournal(folder: string, processName: string): ReplyJournal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let opened = 0;
  let segments: Segment[] = [];
  let current = openSegment();
  let isClosed = false;

  function openSegment(): Segment {
    const path = join(folder, `${processName}${opened === 0 ? '' : `~${opened}`}${EXTENSION}`);
    opened += 1;
    const segment = { path, file: openSync(path, 'a', 0o600), octets: 0, outcomes: 0 };
    segments.push(segment);
    return segment;
  }

  return {
    append(outcomes) {
      if (isClosed) return;
      if (current.octets >= SEGMENT_OCTETS) current = openSegment();
      // No fsync: the page cache outlives a killed process, and a power cut may cost a second copy but never a message.
      current.octets += writeSync(current.file, outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join(''));
      current.outcomes += outcomes.length;
    },
    clearIfSettled(pending) {
      let unsettled = pending;
      const kept: Segment[] = [];
      for (const segment of segments.toReversed()) {
        if (unsettled > 0 || segment === current) kept.unshift(segment);
        else remove(segment);
        if (segment === current && unsettled <= 0) empty(segment);
        unsettled -= segment.outcomes;
      }
      segments = kept;
    },
    close() {
      isClosed = true;
      for (const { file, path, octets } of segments) {
        closeSync(file);
        if (octets === 0) unlinkSync(path);
      }
    },
  };
}

/** What processes that are gone left behind. Call `forget` once the outcomes are recorded. */
export interface LeftJournals {
  /** The processes that are gone: each left its journal, be it empty. */
  readonly processNames: readonly string[];
  readonly outcomes: readonly AttemptOutcome[];
  forget(): void;
}

/** Reads every journal in `folder` but those of processes that still run. A torn last line is the write the crash cut short: skipped. */
export async function readLeftJournals(
  folder: string,
  isRunning: (processName: string) => Promise<boolean>,
): Promise<LeftJournals> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder).filter((name) => name.endsWith(EXTENSION));
  const running = await Promise.all(names.map((name) => isRunning(name.replace(SEGMENT_ENDING, ''))));
  const left = names.filter((_, index) => running[index] === false).map((name) => join(folder, name));
  return {
    processNames: [
      ...new Set(names.filter((_, index) => running[index] === false).map((name) => name.replace(SEGMENT_ENDING, ''))),
    ],
    outcomes: left.flatMap((path) => readFileSync(path, 'utf8').split('\n').flatMap(parseLine)),
    forget: () => {
      for (const path of left) unlinkSync(path);
    },
  };
}

const EXTENSION = '.journal';
const SEGMENT_ENDING = /(~\d+)?\.journal$/;

function empty(segment: Segment): void {
  if (segment.octets > 0) truncateSync(segment.path);
  segment.octets = 0;
  segment.outcomes = 0;
}

function remove({ file, path }: Segment): void {
  closeSync(file);
  unlinkSync(path);
}

function parseLine(line: string): AttemptOutcome[] {
  if (line === '') return [];
  try {
    return [JSON.parse(line) as AttemptOutcome]; // Written by `append` above, in our own folder.
  } catch {
    return [];
  }
}
