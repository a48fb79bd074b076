import { LIMITS, type ReputationLevel } from '@postrider/core';

/** Messages of the window that left the installation, and their results. */
export interface ReputationFacts {
  readonly sent: number;
  readonly bounced: number;
  readonly complained: number;
}

/** The rates at which each level starts, the worst first. In parts of ten thousand, to avoid rounding. */
const THRESHOLDS: readonly {
  readonly level: ReputationLevel;
  readonly bounced: number;
  readonly complained: number;
}[] = [
  { level: 'suspended', bounced: 1_000, complained: 50 },
  { level: 'at_risk', bounced: 500, complained: 10 },
  { level: 'watch', bounced: 300, complained: 5 },
];

/** The reputation level of an account's mail: one of the two rates is enough for a level. Too few messages to judge are `good`. */
export function reputationLevel({ sent, bounced, complained }: ReputationFacts): ReputationLevel {
  if (sent < LIMITS.reputationSendsMin) return 'good';
  const reached = THRESHOLDS.find(
    (least) => bounced * 10_000 >= least.bounced * sent || complained * 10_000 >= least.complained * sent,
  );
  return reached?.level ?? 'good';
}
