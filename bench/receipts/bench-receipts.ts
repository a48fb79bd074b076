import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBenchDatabase } from '../parts/bench-database.ts';
import { describeMachine } from '../parts/report.ts';
import { benchDecisions } from './bench-decisions.ts';
import { benchDeliveryCheck } from './bench-delivery-check.ts';
import { benchSignatures } from './bench-signatures.ts';

/** More than a key may have undecided at once. */
const MOST_HOLDS = 1_000;

/**
 * `pnpm bench receipts [--count N] [--rounds N]`: signing and verifying `count` receipts, the check of a held message at delivery, and
 * decisions with their receipts.
 */
export async function benchReceipts(options: { readonly count: number; readonly rounds: number }): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  try {
    console.log(describeMachine(database.settings));
    const holds = Math.min(options.count, MOST_HOLDS);
    return [
      benchSignatures(options),
      benchDeliveryCheck(options),
      await benchDecisions(database, dataDir, { ...options, count: holds }),
    ].every(Boolean);
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
