import { LIMITS, type ReputationLevel } from '@postrider/core';

/** Messages of the window that left the installation, and what became of them. */
export interface ReputationFacts {
  readonly sent: number;
  readonly bounced: number;
  readonly complained: number;
}

/** From which rates on a level holds, the worst first. In parts of ten thousand, so that nothing is rounded. */
const THRESHOLDS: readonly {
  readonly level: ReputationLevel;
  readonly bounced: number;
  readonly complained: number;
}[] = [
  { level: 'suspended', bounced: 1_000, complained: 50 },
  { level: 'at_risk', bounced: 500, complained: 10 },
  { level: 'watch', bounced: 300, complained: 5 },
];

/** What an account's mail says of it: either rate is enough for a level. Fewer messages than it takes to say anything are `good`. */
export function reputationLevel({ sent, bounced, complained }: ReputationFacts): ReputationLevel {
  if (sent < LIMITS.reputationSendsMin) return 'good';
  const reached = THRESHOLDS.find(
    (least) => bounced * 10_000 >= least.bounced * sent || complained * 10_000 >= least.complained * sent,
  );
  return reached?.level ?? 'good';
}
