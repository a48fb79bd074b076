import type { Approval } from '@postrider/core';
import { STRONGEST_FINDING, type StrongestFinding } from '../../../../approvals/web/message-findings.ts';
import type { Services } from '../../../../operations/context.ts';
import type { JobThreads } from '../../../../threads/job-threads.ts';
import type { PageRequest } from '../../page-request.ts';

type Found = Map<string, StrongestFinding | null>;

/** A live inbox is read often, and what a message contains does not change. */
const KEPT = 1_000;
const KNOWN = new WeakMap<JobThreads, Found>();

/** The strongest finding of each message, by the id of its hold. A message that cannot be read now has none in the list. */
export async function readRowFindings(
  { services, caller }: PageRequest,
  approvals: readonly Approval[],
): Promise<ReadonlyMap<string, StrongestFinding>> {
  const known = knownOf(services);
  const rows = await Promise.all(
    approvals.map(async (approval) => {
      const key = `${caller.accountId} ${approval.contentHash ?? approval.id}`;
      const before = known.get(key);
      if (before !== undefined) return [approval.id, before] as const;
      const owner = { accountId: caller.accountId, keyId: approval.keyId };
      const result = await services.threads.run(owner, STRONGEST_FINDING, approval, approval.html?.length ?? 0);
      if (result.kind !== 'done') return [approval.id, null] as const;
      if (known.size >= KEPT) known.clear();
      known.set(key, result.output);
      return [approval.id, result.output] as const;
    }),
  );
  return new Map(rows.flatMap(([id, finding]) => (finding === null ? [] : [[id, finding] as const])));
}

function knownOf({ threads }: Pick<Services, 'threads'>): Found {
  const known = KNOWN.get(threads) ?? new Map();
  KNOWN.set(threads, known);
  return known;
}
