import { renewPlans, type Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { type AcceptanceOptions, acceptMessages } from './accept-messages.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import type { SendCommand, SendVerdict } from './send-command.ts';

/** The acceptance door as callers see it: sends that arrive together share transactions. */
export interface AcceptanceDoor {
  accept(command: SendCommand): Promise<SendVerdict>;
  /** The items of one request, each with its own verdict, in order. */
  acceptBatch(commands: readonly SendCommand[]): Promise<readonly SendVerdict[]>;
  idle(): Promise<void>;
}

export interface AcceptanceDoorOptions extends AcceptanceOptions {
  /** What batches are written with: a pool of BATCH_CONNECTIONS, since their size makes waiting for one another dearer. */
  readonly batchSql: Sql;
  readonly onAccepted: () => void;
}

/** One statement carries at most this many sends; more would only make the ones in front wait. */
const MAX_BATCH = 100;

/** While the database writes one batch, the next is made ready: single sends on one connection, where it waits its turn. */
const LANES = 2;

/** Fewer single sends than this rather wait for the batch that is being written: each batch costs something beside its messages. */
const SECOND_LANE_FROM = 20;

/** The pools behind the door keep their plans, which must not outlive the sizes of the tables they were made for by much. */
export const SINGLE_CONNECTIONS = 1;
export const BATCH_CONNECTIONS = 2;
const RENEW_PLANS_MS = 2_000;

/** Batches that ask for facts first after one that had to. */
const CAUTIOUS_BATCHES = 4;

export function createAcceptanceDoor(options: AcceptanceDoorOptions): AcceptanceDoor {
  const running = new Set<string>();
  const singles = createLane(options, { connections: SINGLE_CONNECTIONS, secondLaneFrom: SECOND_LANE_FROM });
  const batches = createLane(
    { ...options, sql: options.batchSql },
    { connections: BATCH_CONNECTIONS, secondLaneFrom: 1 },
  );

  async function acceptOn(lane: GroupCommit<SendCommand, SendVerdict>, command: SendCommand): Promise<SendVerdict> {
    if (command.idempotency === null) return await lane.submit(command);
    const name = `${command.accountId} ${command.idempotency.key}`;
    if (running.has(name)) {
      return {
        kind: 'refused',
        code: 'idempotency_in_progress',
        detail: 'A request with this idempotency key is running.',
      };
    }
    running.add(name);
    try {
      return await lane.submit(command);
    } finally {
      running.delete(name);
    }
  }

  return {
    accept: (command) => acceptOn(singles, command),
    acceptBatch: (commands) => Promise.all(commands.map((command) => acceptOn(batches, command))),
    async idle() {
      await Promise.all([singles.idle(), batches.idle()]);
    },
  };
}

function createLane(
  options: AcceptanceDoorOptions,
  lane: { readonly connections: number; readonly secondLaneFrom: number },
): GroupCommit<SendCommand, SendVerdict> {
  let cautious = 0;
  let plannedAtMs = 0;
  return createGroupCommit<SendCommand, SendVerdict>({
    maxBatch: MAX_BATCH,
    lanes: LANES,
    secondLaneFrom: lane.secondLaneFrom,
    write: async (commands) => {
      const nowMs = performance.now();
      if (nowMs - plannedAtMs > RENEW_PLANS_MS) {
        plannedAtMs = nowMs;
        await renewPlans(options.sql, lane.connections);
      }
      const { verdicts, unquestioned } = await acceptMessages(options, commands, cautious > 0 ? 'ask' : 'write');
      cautious = nextCaution(cautious, verdicts, unquestioned);
      if (verdicts.some((verdict) => verdict.kind === 'accepted' && !verdict.replayed)) options.onAccepted();
      return verdicts;
    },
    isItemFault: (error) => classifyDatabaseError(error) === 'data',
  });
}

/** Replays and refusals come in bursts, and each costs a statement that was written in vain; then asking first is cheaper. */
function nextCaution(cautious: number, verdicts: readonly SendVerdict[], unquestioned: boolean): number {
  if (verdicts.some((verdict) => verdict.kind === 'refused' || verdict.replayed)) return CAUTIOUS_BATCHES;
  return unquestioned ? cautious : Math.max(0, cautious - 1);
}
