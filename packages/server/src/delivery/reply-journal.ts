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
import { factsOnly } from './stored-attempt.ts';

/**
 * The journal of final replies. A crash between a server's last reply and our commit is the only case in which a message
 * would be sent twice. So every outcome is written to a local file first, and the next start records what a dead process
 * left.
 */
export interface ReplyJournal {
  /**
   * Appends outcomes, which survive the process from then on. Does nothing after `close`. If they cannot be written, as
   * on a full disk, the error is logged and delivery continues: if the process is killed before they are recorded, their
   * messages are sent again.
   */
  append(outcomes: readonly AttemptOutcome[]): void;
  /** Forgets recorded outcomes: all except the last `pending` ones that were appended. */
  clearIfSettled(pending: number): void;
  close(): void;
}

/** Under steady load something is always pending, so a file that is only emptied as a whole would keep growing. */
const SEGMENT_BYTES = 1_048_576;

interface Segment {
  readonly path: string;
  readonly file: number;
  bytes: number;
  outcomes: number;
  /** The file ends in the middle of a line. */
  isTorn: boolean;
}

/**
 * Opens this process's journal in `folder`, which is created if missing. Its files are named after the process.
 * `onError` is called when a write or a removal fails. Only opening throws.
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
    const segment = { path, file: openSync(path, 'a', 0o600), bytes: 0, outcomes: 0, isTorn: false };
    segments.push(segment);
    return segment;
  }

  function write(outcomes: readonly AttemptOutcome[]): void {
    if (current.bytes >= SEGMENT_BYTES || current.isTorn) current = openSegment();
    const lines = Buffer.from(outcomes.map((outcome) => `${JSON.stringify(withoutConversations(outcome))}\n`).join(''));
    try {
      // No fsync: the page cache survives a killed process. A power failure may cause a second copy, but never loses a message.
      for (let at = 0; at < lines.length; ) at += writeSync(current.file, lines, at);
    } catch (error) {
      // Half a line would corrupt the next one. If it cannot be removed, nothing more is written after it.
      current.isTorn = !cutBack(current);
      throw error;
    }
    current.bytes += lines.length;
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
    append: (outcomes) =>
      attempt(() => write(outcomes), 'writing the reply journal failed: delivery continues without it'),
    clearIfSettled: (pending) => attempt(() => clear(pending), 'clearing the reply journal'),
    close() {
      attempt(() => {
        for (const segment of segments) {
          if (segment.bytes === 0 && !segment.isTorn) remove(segment);
          else closeSync(segment.file);
        }
      }, 'closing the reply journal');
      isClosed = true;
    },
  };
}

/** What ended processes left behind. Call `forget` when the outcomes are recorded. */
export interface OrphanedJournals {
  /** The ended processes. Each left a journal, which may be empty. */
  readonly processNames: readonly string[];
  readonly outcomes: readonly AttemptOutcome[];
  forget(): void;
}

/**
 * Reads every journal in `folder` except those of running processes. A torn last line is the write that the crash cut
 * short, and is skipped.
 */
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

/** A crash may lose what was said, but no outcome. It would be most of the bytes here. */
function withoutConversations(outcome: AttemptOutcome): AttemptOutcome {
  return outcome.tries === undefined ? outcome : { ...outcome, tries: outcome.tries.map(factsOnly) };
}

const EXTENSION = '.journal';
const SEGMENT_ENDING = /(~\d+)?\.journal$/;

function empty(segment: Segment): void {
  if (segment.bytes > 0 || segment.isTorn) ftruncateSync(segment.file);
  segment.bytes = 0;
  segment.outcomes = 0;
  segment.isTorn = false;
}

/** Removes what is not a complete line. Returns false if that fails too. */
function cutBack({ file, bytes }: Segment): boolean {
  try {
    ftruncateSync(file, bytes);
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
    return [JSON.parse(line) as AttemptOutcome]; // `append` above wrote this, in our own folder.
  } catch {
    return [];
  }
}
