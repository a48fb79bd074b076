import { createPlanRenewal, type Pool } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { MOST_MESSAGES } from '../db/queries/insert-messages.ts';
import { DatabaseSilentError } from '../db/query-deadline.ts';
import { LARGE_INPUT_BYTES, reportLargeGarbage } from '../heap.ts';
import { ProblemError } from '../problem.ts';
import { type AcceptanceOptions, acceptMessages } from './accept-messages.ts';
import type { Refusal } from './acceptance.ts';
import { idempotencyNameOf } from './decide-sends.ts';
import { type ActiveAccounts, createActiveAccounts, type QueueSize } from './fair-queue.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { IDEMPOTENCY_IN_PROGRESS } from './idempotency.ts';
import { mayBeHeld } from './judging-keys.ts';
import type { ParsedSend } from './parsed-send.ts';
import type { SendVerdict } from './send-verdict.ts';

/** Accepts sends. Sends that arrive together share a transaction. */
export interface AcceptQueue {
  accept(send: ParsedSend): Promise<SendVerdict>;
  /**
   * Accepts the items of one request. Each gets its own verdict, in order.
   * @throws ProblemError if the queue is full.
   */
  acceptBatch(sends: readonly ParsedSend[]): Promise<readonly SendVerdict[]>;
  idle(): Promise<void>;
}

export interface AcceptQueueOptions extends AcceptanceOptions {
  /** Writes single sends. */
  readonly sql: Pool;
  /** Writes batches. A separate pool, so that a single send never waits behind a large batch. */
  readonly batchSql: Pool;
  /** Writes sends with files. A separate pool, because one large send can take as long as thousands of small ones. */
  readonly filesSql: Pool;
  /** How much may wait; for tests. */
  readonly room?: QueueSize;
  readonly onAccepted: () => void;
  /** Called with the error if the database does not respond. */
  readonly onOutage?: (error: unknown) => void;
  /** Called with the error of a single send if others of the same request were accepted. */
  readonly onFault?: (error: unknown) => void;
}

/**
 * The approximate limit in bytes of bodies and files: a larger statement would delay every waiting send and use much memory on both sides.
 */
const MAX_BATCH_BYTES = 8_388_608;

/**
 * The most that may wait in each queue: a second of work, and a bounded part of the memory. Beyond that, a caller gets 503 instead of a
 * response after its timeout.
 */
export const ROOM = { items: 10_000, bytes: 67_108_864 };

const NO_ROOM = {
  code: 'unavailable',
  detail: 'Too many sends are waiting. Nothing was accepted.',
  retryAfterSeconds: 1,
} as const satisfies Refusal;

/**
 * The next batch is prepared while the database writes one. Single sends share one connection, on which the next batch waits for the first.
 */
const WRITERS = 2;

/**
 * The number of single sends that start a batch at once. Below it, they wait for the batch that is being written and for requests that have
 * arrived, because each batch has a fixed cost. Two fifths of the sends in progress leave enough for the other batch and for the requests
 * that are being read.
 */
function worthABatch(lately: number): number {
  return Math.min(24, Math.max(12, Math.floor((lately * 2) / 5)));
}

export const ACCEPT_CONNECTIONS = { singles: 1, batches: 2, files: 2 } as const;

/** The number of batches that read facts first after one that had to. */
const CAUTIOUS_BATCHES = 4;

export function createAcceptQueue(options: AcceptQueueOptions): AcceptQueue {
  const running = new Set<string>();
  const activity = createActiveAccounts();
  const singles = createWriteQueue(options, {
    activity,
    connections: ACCEPT_CONNECTIONS.singles,
    sharedWriters: WRITERS,
    secondWriterFrom: worthABatch,
    startAtOnceFrom: worthABatch,
  });
  const batches = createWriteQueue(
    { ...options, sql: options.batchSql },
    {
      activity,
      connections: ACCEPT_CONNECTIONS.batches,
      sharedWriters: 1,
      secondWriterFrom: () => 1,
      startAtOnceFrom: () => MOST_MESSAGES,
    },
  );
  // Files are stored before the quota's row is locked, so that no other send waits for them; refusals are found first. Sends of keys in
  // approval mode are written here too, because they need more facts and more rows.
  const withFiles = createWriteQueue(
    { ...options, sql: options.filesSql },
    {
      activity,
      connections: ACCEPT_CONNECTIONS.files,
      sharedWriters: WRITERS,
      secondWriterFrom: () => 1,
      startAtOnceFrom: () => MOST_MESSAGES,
      alwaysAsks: true,
    },
  );
  const queueOf = (send: ParsedSend, usual: GroupCommit<ParsedSend, SendVerdict>) =>
    send.content.attachments.length === 0 && !mayBeHeld(send.sender) ? usual : withFiles;

  function acceptThrough(queue: GroupCommit<ParsedSend, SendVerdict>, send: ParsedSend): Promise<SendVerdict> {
    return send.idempotency === null ? queue.submit(send) : acceptOnce(queue, send);
  }

  async function acceptOnce(queue: GroupCommit<ParsedSend, SendVerdict>, send: ParsedSend): Promise<SendVerdict> {
    const name = idempotencyNameOf(send);
    if (running.has(name)) {
      return { kind: 'refused', ...IDEMPOTENCY_IN_PROGRESS };
    }
    running.add(name);
    try {
      return await queue.submit(send);
    } finally {
      running.delete(name);
    }
  }

  const hasRoom = (queue: GroupCommit<ParsedSend, SendVerdict>, send: ParsedSend) => queue.hasRoom(accountOf(send));

  return {
    async accept(send) {
      const queue = queueOf(send, singles);
      return hasRoom(queue, send) ? await acceptThrough(queue, send) : { kind: 'refused', ...NO_ROOM };
    },
    async acceptBatch(sends) {
      // A batch is refused as a whole, so that clients repeat it.
      if (!sends.every((send) => hasRoom(queueOf(send, batches), send))) {
        throw new ProblemError(NO_ROOM.code, { detail: NO_ROOM.detail });
      }
      return await settleAll(
        sends.map((send) => acceptThrough(queueOf(send, batches), send)),
        options.onFault,
      );
    },
    async idle() {
      await Promise.all([singles.idle(), batches.idle(), withFiles.idle()]);
    },
  };
}

/**
 * The sends of one request can be split across two statements. If the first succeeds and the second fails, the request must not fail as a
 * whole, because its caller would not learn the ids of the accepted sends. Only the failed sends are refused then.
 * @throws the failure, if no send was accepted.
 */
async function settleAll(
  pending: readonly Promise<SendVerdict>[],
  onFault?: (error: unknown) => void,
): Promise<readonly SendVerdict[]> {
  const settled = await Promise.allSettled(pending);
  const failures = settled.filter((result) => result.status === 'rejected');
  if (failures.length === settled.length) return await Promise.all(pending);
  return settled.map((result) => {
    if (result.status === 'fulfilled') return result.value;
    onFault?.(result.reason);
    return { kind: 'refused', ...faultRefusal(result.reason) };
  });
}

function faultRefusal(error: unknown): Refusal {
  return classifyDatabaseError(error) === 'unavailable'
    ? { code: 'unavailable', detail: 'The database stopped responding during the batch.' }
    : { code: 'internal', detail: 'This send could not be stored because of an internal error.' };
}

function createWriteQueue(
  options: AcceptQueueOptions,
  queue: {
    readonly activity: ActiveAccounts;
    readonly connections: number;
    readonly sharedWriters: number;
    readonly secondWriterFrom: (lately: number) => number;
    readonly startAtOnceFrom: (lately: number) => number;
    readonly alwaysAsks?: true;
  },
): GroupCommit<ParsedSend, SendVerdict> {
  let cautious = 0;
  const renewPlans = createPlanRenewal(options.sql, queue.connections);
  return createGroupCommit<ParsedSend, SendVerdict>({
    maxBatch: MOST_MESSAGES,
    maxBytes: MAX_BATCH_BYTES,
    bytesOf,
    accountOf,
    room: options.room ?? ROOM,
    activity: queue.activity,
    writers: WRITERS,
    sharedWriters: queue.sharedWriters,
    secondWriterFrom: queue.secondWriterFrom,
    startAtOnceFrom: queue.startAtOnceFrom,
    write: async (sends) => {
      await renewPlans();
      const asks = queue.alwaysAsks === true || cautious > 0;
      const { verdicts, unquestioned } = await acceptMessages(options, sends, asks ? 'ask' : 'write');
      cautious = nextCaution(cautious, verdicts, unquestioned);
      const bytes = sends.reduce((sum, send) => sum + bytesOf(send), 0);
      // The copies that the driver makes.
      if (bytes > LARGE_INPUT_BYTES) reportLargeGarbage(bytes);
      if (verdicts.some((verdict) => verdict.kind === 'accepted' && !verdict.replayed)) options.onAccepted();
      return verdicts;
    },
    isItemFault: (error) => classifyDatabaseError(error) === 'data',
    isOutage: (error) => {
      if (!(error instanceof DatabaseSilentError)) return false;
      options.onOutage?.(error);
      return true;
    },
  });
}

function accountOf({ sender }: ParsedSend): string {
  return sender.accountId;
}

/** The approximate size of a send on the wire: each character counts as one byte, which is close enough for a limit. */
function bytesOf({ content }: ParsedSend): number {
  const { html, text, attachments } = content;
  const files = attachments.reduce((sum, file) => sum + file.content.byteLength, 0);
  return (html?.length ?? 0) + (text?.length ?? 0) + files;
}

/** Replays and refusals come in bursts, and each wastes a write. Reading the facts first is cheaper then. */
function nextCaution(cautious: number, verdicts: readonly SendVerdict[], unquestioned: boolean): number {
  if (verdicts.some((verdict) => verdict.kind === 'refused' || verdict.replayed)) return CAUTIOUS_BATCHES;
  return unquestioned ? cautious : Math.max(0, cautious - 1);
}
