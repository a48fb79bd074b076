import type { QueueFacts } from '../db/queries/doctor.ts';
import { type DoctorCheck, fail, pass, warn } from './doctor-check.ts';

/** Workers look every two seconds, so that what is due for minutes is left lying. */
const LATE_MS = 300_000;
const ERROR_CHARACTERS = 200;

const START = 'Start a server with the role worker (`postrider-server start`), and read its log.';
const READ_LOG = 'Read the log of the servers with the role worker; add workers where they cannot keep up.';

/** Whether what is due is worked on, and what came to nothing. */
export function judgeQueue(facts: QueueFacts | null, now: Date): DoctorCheck {
  const migrate = 'Run `postrider-server migrate`.';
  if (facts === null) return fail('queue', 'The tables of the queue are not there.', migrate);
  const late = describeLate(facts, now);
  if (late !== null && facts.liveWorkers === 0) return fail('queue', `${late} No worker runs.`, START);
  if (late !== null) return fail('queue', late, READ_LOG);
  if (facts.failedJobs > 0) return warn('queue', describeFailed(facts), READ_LOG);
  if (facts.liveWorkers === 0) return warn('queue', 'No worker runs: nothing is delivered at present.', START);
  if (facts.deadWorkers > 0) {
    const message = `${counted(facts.deadWorkers, 'worker')} ended without giving back what they worked on.`;
    return warn('queue', message, 'The others take these jobs within a minute. If it stays, restart them.');
  }
  const due = facts.dueJobs === 0 ? 'nothing waits' : `${counted(facts.dueJobs, 'job')} about to be taken`;
  return pass('queue', `${counted(facts.liveWorkers, 'worker')} at work, ${due}.`);
}

function describeLate({ oldestDueJobAt, oldestDueDeliveryAt, dueJobs }: QueueFacts, now: Date): string | null {
  const lateMs = (at: Date | null) => (at === null ? 0 : now.getTime() - at.getTime());
  const minutes = (at: Date | null) => Math.floor(lateMs(at) / 60_000);
  const parts = [
    lateMs(oldestDueJobAt) >= LATE_MS
      ? `${counted(dueJobs, 'job')} due, the oldest for ${minutes(oldestDueJobAt)} minutes.`
      : '',
    lateMs(oldestDueDeliveryAt) >= LATE_MS ? `A message is due for ${minutes(oldestDueDeliveryAt)} minutes.` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(' ');
}

function describeFailed({ failedJobs, lastFailure }: QueueFacts): string {
  const error = lastFailure?.error?.split('\n', 1)[0]?.slice(0, ERROR_CHARACTERS) ?? 'no reason is known';
  return `${counted(failedJobs, 'job')} failed for good, the last of them ${lastFailure?.task ?? ''}: ${error}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
