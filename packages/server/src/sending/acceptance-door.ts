import { classifyDatabaseError } from '../db/database-errors.ts';
import { type AcceptanceOptions, acceptMessages } from './accept-messages.ts';
import { createGroupCommit } from './group-commit.ts';
import type { SendCommand, SendVerdict } from './send-command.ts';

/** The acceptance door as callers see it: single sends share transactions, batches go as they are. */
export interface AcceptanceDoor {
  accept(command: SendCommand): Promise<SendVerdict>;
  idle(): Promise<void>;
}

/** One round trip carries at most this many sends; more would only make the ones in front wait. */
const MAX_BATCH = 100;

/** One batch at a time: a second one would halve both, and what a batch costs beside its messages would be paid twice as often. */
const LANES = 1;

export function createAcceptanceDoor(options: AcceptanceOptions & { readonly onAccepted: () => void }): AcceptanceDoor {
  const running = new Set<string>();
  const group = createGroupCommit<SendCommand, SendVerdict>({
    maxBatch: MAX_BATCH,
    lanes: LANES,
    write: async (commands) => {
      const verdicts = await acceptMessages(options, commands);
      if (verdicts.some((verdict) => verdict.kind === 'accepted' && !verdict.replayed)) options.onAccepted();
      return verdicts;
    },
    isItemFault: (error) => classifyDatabaseError(error) === 'data',
  });

  async function accept(command: SendCommand): Promise<SendVerdict> {
    if (command.idempotency === null) return await group.submit(command);
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
      return await group.submit(command);
    } finally {
      running.delete(name);
    }
  }

  return { accept, idle: group.idle };
}
