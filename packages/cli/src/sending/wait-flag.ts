import { EXIT_CODES } from '../exit-codes.ts';
import { type FlagDefinition, numberFlag } from '../own-flag.ts';

export const WAIT_SECONDS_DEFAULT = 60;
const WAIT_SECONDS_MAX = 86_400;

const { done, pendingApproval, waitTimedOut, deliveryFailed } = EXIT_CODES;

/** The flag of commands that can wait for the outcome of a send. */
export const WAIT_FLAG: FlagDefinition<number | true> = numberFlag(
  '--wait [seconds]',
  `Wait for the outcome, ${WAIT_SECONDS_DEFAULT} seconds by default. The exit code is ${done} if sent or delivered, ` +
    `${pendingApproval} if held for approval, ${waitTimedOut} if not known in time, ${deliveryFailed} if not delivered.`,
  { min: 1, max: WAIT_SECONDS_MAX, noun: 'whole seconds' },
);
