import type { Logger } from 'pino';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { takeLeasesOf } from '../db/queries/record-outcomes.ts';
import { readProcessIdentity } from '../postgres/running-process.ts';
import { isUuid } from '../uuid-v7.ts';
import { recordOutcomes } from './outcome-recorder.ts';
import { type OrphanedJournals, readOrphanedJournals } from './reply-journal.ts';

/** Records outcomes that killed processes of this data directory received but did not write to the database. */
export async function replayJournals(
  folder: string,
  recording: Parameters<typeof recordOutcomes>[0],
  logger: Logger,
  now: Date,
): Promise<void> {
  const left = await readOrphanedJournals(folder, isSameProcess);
  if (left.outcomes.length > 0) {
    await recordLeft(recording, left.outcomes, logger);
    logger.info({ outcomes: left.outcomes.length }, 'recorded the outcomes of a killed process');
  }
  const leaseIds = left.processNames.map(leaseIdOf).filter(isUuid);
  if (leaseIds.length > 0) await takeLeasesOf(recording.sql, leaseIds, now);
  left.forget();
}

/** An outcome that the database rejects must not block every later start: it is logged and skipped, and its delivery is retried. */
async function recordLeft(
  recording: Parameters<typeof recordOutcomes>[0],
  outcomes: OrphanedJournals['outcomes'],
  logger: Logger,
): Promise<void> {
  for (const outcome of outcomes) {
    await recordOutcomes(recording, [outcome]).catch((error: unknown) => {
      if (classifyDatabaseError(error) !== 'data') throw error;
      logger.error(
        { messageId: outcome.messageId, error: String(error) },
        'could not record an outcome of a killed process',
      );
    });
  }
}

/**
 * The name of a process: its process id, the lease id of its deliveries, and a value that distinguishes it from others
 * with its process id.
 */
export function nameProcess(leaseId: string, identity: string | null): string {
  return `${process.pid}.${leaseId}.${encodeIdentity(identity)}`;
}

function leaseIdOf(processName: string): string {
  return processName.split('.')[1] ?? '';
}

/** A journal belongs to a running process only if it is the same process, and not another one with the same id. */
async function isSameProcess(processName: string): Promise<boolean> {
  const [pid = '', , identity = ''] = processName.split('.');
  const running = await readProcessIdentity(Number(pid));
  return running !== null && encodeIdentity(running) === identity;
}

function encodeIdentity(identity: string | null): string {
  return Buffer.from(identity ?? '').toString('hex');
}
