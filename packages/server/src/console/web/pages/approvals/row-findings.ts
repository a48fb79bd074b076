import type { Approval } from '@postrider/core';
import { STRONGEST_FINDING, type StrongestFinding } from '../../../../approvals/web/message-findings.ts';
import type { Services } from '../../../../operations/context.ts';
import type { JobThreads } from '../../../../threads/job-threads.ts';
import type { PageRequest } from '../../page-request.ts';

type Found = Map<string, StrongestFinding | null>;

/** A live inbox is read often, and what a message contains does not change. */
const KEPT = 1_000;
const KNOWN = new WeakMap<JobThreads, Found>();

/**
 * The strongest finding of each message of a list, by the id of its hold. The contents are only read if one of them is new. A message that
 * cannot be read now has none in the list.
 * @param query of the list, to read it again with the contents
 */
export async function readRowFindings(
  request: PageRequest,
  listed: readonly Approval[],
  query: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, StrongestFinding>> {
  const known = knownOf(request.services);
  const keyOf = ({ id, contentHash }: Approval) => `${request.caller.accountId} ${contentHash ?? id}`;
  if (listed.some((approval) => !known.has(keyOf(approval)))) {
    const { approvals } = await request.call('approvals.list', { query });
    if (known.size + approvals.length > KEPT) known.clear();
    await Promise.all(
      approvals.map(async (approval) => {
        const found = known.has(keyOf(approval)) ? undefined : await findStrongest(request, approval);
        if (found !== undefined) known.set(keyOf(approval), found);
      }),
    );
  }
  return new Map(
    listed.flatMap((approval) => {
      const finding = known.get(keyOf(approval));
      return finding === null || finding === undefined ? [] : [[approval.id, finding] as const];
    }),
  );
}

/** A larger message is only checked on its own page, so that the list stays fast. */
const CHECKED_CHARACTERS = 256 * 1024;
const LARGE: StrongestFinding = { level: 'warn', message: 'Large message: open it to see warnings.', count: 1 };

/** Undefined if the threads are busy; another load of the list tries again. */
async function findStrongest(
  { services, caller: { accountId } }: PageRequest,
  approval: Approval,
): Promise<StrongestFinding | null | undefined> {
  const size = (approval.html?.length ?? 0) + (approval.text?.length ?? 0);
  if (size > CHECKED_CHARACTERS) return LARGE;
  const owner = { accountId, keyId: approval.keyId };
  const result = await services.threads.run(owner, STRONGEST_FINDING, approval, size);
  return result.kind === 'done' ? result.output : undefined;
}

function knownOf({ threads }: Pick<Services, 'threads'>): Found {
  const known = KNOWN.get(threads) ?? new Map();
  KNOWN.set(threads, known);
  return known;
}
