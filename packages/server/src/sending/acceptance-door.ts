import { type Pool, renewPlans } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { MOST_MESSAGES } from '../db/queries/insert-messages.ts';
import { DatabaseSilentError } from '../db/query-deadline.ts';
import { noteLargeGarbage } from '../heap.ts';
import { type AcceptanceOptions, acceptMessages } from './accept-messages.ts';
import type { Refusal } from './acceptance.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { IDEMPOTENCY_IN_PROGRESS } from './idempotency.ts';
import { callingKeyOf, mayBeHeld } from './judging-keys.ts';
import type { SendCommand, SendVerdict } from './send-command.ts';

/** The acceptance door as callers see it: sends that arrive together share transactions. */
export interface AcceptanceDoor {
  accept(command: SendCommand): Promise<SendVerdict>;
  /** The items of one request, each with its own verdict, in order. */
  acceptBatch(commands: readonly SendCommand[]): Promise<readonly SendVerdict[]>;
  idle(): Promise<void>;
}

export interface AcceptanceDoorOptions extends AcceptanceOptions {
  /** What single sends are written with. */
  readonly sql: Pool;
  /** What batches are written with: a pool of its own, since their size makes waiting for one another dearer. */
  readonly batchSql: Pool;
  /** What sends with files are written with: a pool of its own, since a large one takes as long as thousands of others. */
  readonly filesSql: Pool;
  readonly onAccepted: () => void;
  /** Hears of faults that befell some sends of a request while others were accepted. */
  readonly onFault?: (error: unknown) => void;
}

/** And about so many octets of texts and files: a statement of more would hold up everybody behind it, and fill the memory on both sides. */
const MAX_BATCH_OCTETS = 8_388_608;

/** Batches from this size on leave buffers of their size behind. */
const LARGE_BATCH_BYTES = 1_048_576;

/** While the database writes one batch, the next is made ready: single sends on one connection, where it waits its turn. */
const LANES = 2;

/** Fewer single sends than this rather wait for the batch that is being written: each batch costs something beside its messages. */
const SECOND_LANE_FROM = 20;

/** The pools behind the door keep their plans, which must not outlive the sizes of the tables they were made for by much. */
export const DOOR_CONNECTIONS = { singles: 1, batches: 2, files: 2 } as const;
const RENEW_PLANS_MS = 2_000;

/** Batches that ask for facts first after one that had to. */
const CAUTIOUS_BATCHES = 4;

export function createAcceptanceDoor(options: AcceptanceDoorOptions): AcceptanceDoor {
  const running = new Set<string>();
  const singles = createLane(options, { connections: DOOR_CONNECTIONS.singles, secondLaneFrom: SECOND_LANE_FROM });
  const batches = createLane(
    { ...options, sql: options.batchSql },
    { connections: DOOR_CONNECTIONS.batches, secondLaneFrom: 1 },
  );
  // Files are stored before the rules are held, so that nobody waits for the quota's row meanwhile: what is to be refused is found first.
  // Here also go the sends of keys in approval mode, of which more has to be known, and more is to be written.
  const withFiles = createLane(
    { ...options, sql: options.filesSql },
    { connections: DOOR_CONNECTIONS.files, secondLaneFrom: 1, alwaysAsks: true },
  );
  const laneOf = (command: SendCommand, usual: GroupCommit<SendCommand, SendVerdict>) =>
    command.content.attachments.length === 0 && !mayBeHeld(command) ? usual : withFiles;

  async function acceptOn(lane: GroupCommit<SendCommand, SendVerdict>, command: SendCommand): Promise<SendVerdict> {
    if (command.idempotency === null) return await lane.submit(command);
    const name = `${callingKeyOf(command).keyId} ${command.idempotency.key}`;
    if (running.has(name)) {
      return { kind: 'refused', ...IDEMPOTENCY_IN_PROGRESS };
    }
    running.add(name);
    try {
      return await lane.submit(command);
    } finally {
      running.delete(name);
    }
  }

  return {
    accept: (command) => acceptOn(laneOf(command, singles), command),
    acceptBatch: (commands) =>
      settleAll(
        commands.map((command) => acceptOn(laneOf(command, batches), command)),
        options.onFault,
      ),
    async idle() {
      await Promise.all([singles.idle(), batches.idle(), withFiles.idle()]);
    },
  };
}

/**
 * The sends of one request can fall into two statements. Where the first was written and the second failed, the request must not fail as a
 * whole: its caller would not learn the ids of what is on its way. What failed is then refused by itself.
 * @throws the failure, where nothing came of any.
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
    ? { code: 'unavailable', detail: 'The database fell silent in the middle of the batch.' }
    : { code: 'internal', detail: 'This send could not be stored because of an error of ours.' };
}

function createLane(
  options: AcceptanceDoorOptions,
  lane: { readonly connections: number; readonly secondLaneFrom: number; readonly alwaysAsks?: true },
): GroupCommit<SendCommand, SendVerdict> {
  let cautious = 0;
  let plannedAtMs = 0;
  return createGroupCommit<SendCommand, SendVerdict>({
    maxBatch: MOST_MESSAGES,
    maxOctets: MAX_BATCH_OCTETS,
    octetsOf,
    lanes: LANES,
    secondLaneFrom: lane.secondLaneFrom,
    write: async (commands) => {
      const nowMs = performance.now();
      if (nowMs - plannedAtMs > RENEW_PLANS_MS) {
        plannedAtMs = nowMs;
        await renewPlans(options.sql, lane.connections);
      }
      const asks = lane.alwaysAsks === true || cautious > 0;
      const { verdicts, unquestioned } = await acceptMessages(options, commands, asks ? 'ask' : 'write');
      cautious = nextCaution(cautious, verdicts, unquestioned);
      const bytes = commands.reduce((sum, command) => sum + octetsOf(command), 0);
      // What the driver made of them on the way to the database.
      if (bytes > LARGE_BATCH_BYTES) noteLargeGarbage(bytes);
      if (verdicts.some((verdict) => verdict.kind === 'accepted' && !verdict.replayed)) options.onAccepted();
      return verdicts;
    },
    isItemFault: (error) => classifyDatabaseError(error) === 'data',
    isOutage: (error) => error instanceof DatabaseSilentError,
  });
}

/** About what a send weighs on the wire: characters count as one octet each, which is close enough for a bound. */
function octetsOf({ content }: SendCommand): number {
  const { html, text, attachments } = content;
  const files = attachments.reduce((sum, file) => sum + file.content.byteLength, 0);
  return (html?.length ?? 0) + (text?.length ?? 0) + files;
}

/** Replays and refusals come in bursts, and each costs a statement that was written in vain; then asking first is cheaper. */
function nextCaution(cautious: number, verdicts: readonly SendVerdict[], unquestioned: boolean): number {
  if (verdicts.some((verdict) => verdict.kind === 'refused' || verdict.replayed)) return CAUTIOUS_BATCHES;
  return unquestioned ? cautious : Math.max(0, cautious - 1);
}
