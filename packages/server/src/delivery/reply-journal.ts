import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
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
  /**
   * Appends outcomes; they survive the process from here on. Does nothing after `close`. Where they cannot be written, as on a full disk, that
   * is told and delivery goes on without: should the process be killed before they are recorded, their messages are sent again.
   */
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
  /** Ends in the middle of a line. */
  isTorn: boolean;
}

/**
 * Opens this process's journal in `folder`, made where it is missing. Its files are named after the process. `onError` is told what could not
 * be written, or not be removed; only opening throws.
 */
export function openReplyJournal(
  folder: string,
  processName: string,
  onError: (error: unknown, what: string) => void,
): ReplyJournal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let opened = 0;
  let segments: Segment[] = [];
  let current = openSegment();
  let isClosed = false;

  function openSegment(): Segment {
    const path = join(folder, `${processName}${opened === 0 ? '' : `~${opened}`}${EXTENSION}`);
    opened += 1;
    const segment = { path, file: openSync(path, 'a', 0o600), octets: 0, outcomes: 0, isTorn: false };
    segments.push(segment);
    return segment;
  }

  function write(outcomes: readonly AttemptOutcome[]): void {
    if (current.octets >= SEGMENT_OCTETS || current.isTorn) current = openSegment();
    const lines = Buffer.from(outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join(''));
    try {
      // No fsync: the page cache outlives a killed process, and a power cut may cost a second copy but never a message.
      for (let at = 0; at < lines.length; ) at += writeSync(current.file, lines, at);
    } catch (error) {
      // Half a line would swallow the next one. Where it cannot be taken back, nothing more is written behind it.
      current.isTorn = !cutBack(current);
      throw error;
    }
    current.octets += lines.length;
    current.outcomes += outcomes.length;
  }

  function clear(pending: number): void {
    let unsettled = pending;
    const settled = new Set<Segment>();
    for (const segment of segments.toReversed()) {
      if (unsettled <= 0) settled.add(segment);
      unsettled -= segment.outcomes;
    }
    if (settled.has(current)) empty(current);
    settled.delete(current);
    segments = segments.filter((segment) => !settled.has(segment));
    for (const segment of settled) remove(segment);
  }

  function attempt(work: () => void, what: string): void {
    try {
      if (!isClosed) work();
    } catch (error) {
      onError(error, what);
    }
  }

  return {
    append: (outcomes) => attempt(() => write(outcomes), 'writing the reply journal: delivery goes on without it'),
    clearIfSettled: (pending) => attempt(() => clear(pending), 'clearing the reply journal'),
    close() {
      attempt(() => {
        for (const segment of segments) {
          if (segment.octets === 0 && !segment.isTorn) remove(segment);
          else closeSync(segment.file);
        }
      }, 'closing the reply journal');
      isClosed = true;
    },
  };
}

/** What processes that are gone left behind. Call `forget` once the outcomes are recorded. */
export interface OrphanedJournals {
  /** The processes that are gone: each left its journal, be it empty. */
  readonly processNames: readonly string[];
  readonly outcomes: readonly AttemptOutcome[];
  forget(): void;
}

/** Reads every journal in `folder` but those of processes that still run. A torn last line is the write the crash cut short: skipped. */
export async function readOrphanedJournals(
  folder: string,
  isRunning: (processName: string) => Promise<boolean>,
): Promise<OrphanedJournals> {
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
  if (segment.octets > 0 || segment.isTorn) ftruncateSync(segment.file);
  segment.octets = 0;
  segment.outcomes = 0;
  segment.isTorn = false;
}

/** Takes back what does not belong to whole lines; false where that does not go either. */
function cutBack({ file, octets }: Segment): boolean {
  try {
    ftruncateSync(file, octets);
    return true;
  } catch {
    return false;
  }
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
