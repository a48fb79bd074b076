import type { Approval } from '@postrider/core';
import { type Finding, reviewMessage } from '@postrider/review';
import { threadJob } from '../../threads/thread-job.ts';

/** The most important finding of a message, and how many it has that need a look. */
export interface StrongestFinding {
  readonly level: Finding['level'];
  readonly message: string;
  readonly count: number;
}

/** For lists. Null if nothing needs a look. */
export const STRONGEST_FINDING = threadJob(
  import.meta.url,
  'STRONGEST_FINDING',
  (approval: Approval): StrongestFinding | null => {
    const findings = reviewMessage(approval).findings.filter(({ level }) => level !== 'note');
    const [first] = findings;
    return first === undefined ? null : { level: first.level, message: first.message, count: findings.length };
  },
);
