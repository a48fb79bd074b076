import type { QueueFacts } from '../db/queries/doctor.ts';
import { type DoctorCheck, fail, pass, warn } from './doctor-check.ts';

/** Workers check every two seconds, so jobs that have been due for minutes are stuck. */
const LATE_MS = 300_000;
const ERROR_CHARACTERS = 200;

const START = 'Start a server with the worker role (`postrider-server start`), and read its log.';
const READ_LOG = 'Read the log of the servers with the worker role. Add workers if they cannot keep up.';

/** Whether due jobs are being processed, and which ones failed. */
export function judgeQueue(facts: QueueFacts | null, now: Date): DoctorCheck {
  const migrate = 'Run `postrider-server migrate`.';
  if (facts === null) return fail('queue', 'The tables of the queue are missing.', migrate);
  const late = describeLate(facts, now);
  if (late !== null && facts.liveWorkers === 0) return fail('queue', `${late} No worker is running.`, START);
  if (late !== null) return fail('queue', late, READ_LOG);
  if (facts.failedJobs > 0) return warn('queue', describeFailed(facts), READ_LOG);
  if (facts.liveWorkers === 0) return warn('queue', 'No worker is running, so nothing is delivered.', START);
  if (facts.deadWorkers > 0) {
    const message = `${counted(facts.deadWorkers, 'worker')} ended without releasing jobs.`;
    return warn(
      'queue',
      message,
      'Other workers take over these jobs within a minute. If this warning stays, restart them.',
    );
  }
  const due = facts.dueJobs === 0 ? 'nothing waits' : `${counted(facts.dueJobs, 'job')} about to start`;
  return pass('queue', `${counted(facts.liveWorkers, 'worker')} at work, ${due}.`);
}

function describeLate({ oldestDueJobAt, oldestDueDeliveryAt, dueJobs }: QueueFacts, now: Date): string | null {
  const lateMs = (at: Date | null) => (at === null ? 0 : now.getTime() - at.getTime());
  const minutes = (at: Date | null) => Math.floor(lateMs(at) / 60_000);
  const parts = [
    lateMs(oldestDueJobAt) >= LATE_MS
      ? `${counted(dueJobs, 'job')} due, the oldest for ${minutes(oldestDueJobAt)} minutes.`
      : '',
    lateMs(oldestDueDeliveryAt) >= LATE_MS ? `A message has been due for ${minutes(oldestDueDeliveryAt)} minutes.` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(' ');
}

function describeFailed({ failedJobs, lastFailure }: QueueFacts): string {
  const error = lastFailure?.error?.split('\n', 1)[0]?.slice(0, ERROR_CHARACTERS) ?? 'unknown reason';
  return `${counted(failedJobs, 'job')} failed permanently, the last of them ${lastFailure?.task ?? ''}: ${error}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
