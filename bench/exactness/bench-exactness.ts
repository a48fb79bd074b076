import { describeMachine, round } from '../parts/report.ts';
import { proveQuota } from './exact-quota.ts';
import { proveRates } from './exact-rates.ts';
import { proveSendLimits } from './exact-send-limits.ts';
import { CLIENTS, PROCESSES, startFleet } from './fleet.ts';
import { proveIdempotency } from './idempotency-races.ts';
import { proveKeyChanges } from './key-changes.ts';

/**
 * `pnpm bench exactness [--count N]`: limits that must be exact across all processes. `count` is the quota; the other numbers follow from
 * it. There is no tolerance: any deviation is a failure.
 */
export async function benchExactness({ count }: { readonly count: number }): Promise<boolean> {
  const isExact = await proveAll(count);
  return (await proveSupervised(count)) && isExact;
}

async function proveAll(count: number): Promise<boolean> {
  const fleet = await startFleet(false);
  try {
    console.log(describeMachine(fleet.settings));
    console.log(`\n${round(CLIENTS)} clients over ${PROCESSES} server processes on one Postgres`);
    const proven = [
      await proveQuota(fleet, count),
      await proveRates(fleet),
      await proveSendLimits(fleet, Math.ceil(count / 3)),
      await proveIdempotency(fleet, Math.ceil(count / 60)),
      await proveKeyChanges(fleet, Math.ceil(count / 60)),
    ];
    return proven.every((isExact) => isExact);
  } finally {
    await fleet.stop();
  }
}

/** The checks with the most concurrency, with the processes of one server. */
async function proveSupervised(count: number): Promise<boolean> {
  const fleet = await startFleet(true);
  try {
    console.log(`\n${round(CLIENTS)} clients of one server with ${PROCESSES} processes`);
    const proven = [
      await proveQuota(fleet, count),
      await proveRates(fleet),
      await proveIdempotency(fleet, Math.ceil(count / 60)),
    ];
    return proven.every((isExact) => isExact);
  } finally {
    await fleet.stop();
  }
}
