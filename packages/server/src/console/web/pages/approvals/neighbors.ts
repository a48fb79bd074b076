import type { Approval } from '@postrider/core';
import type { PageRequest } from '../../page-request.ts';
import { APPROVALS, pathOf } from './paths.ts';

export interface Neighbors {
  readonly newer: string | null;
  readonly older: string | null;
  /** Where a decision leads: the next older hold that waits, or the inbox. */
  readonly next: string;
}

/** As many as an inbox shows at once. */
const LIMIT = '50';

/** The holds before and after this one among those that wait. */
export async function readNeighbors(request: PageRequest, { id }: Pick<Approval, 'id'>): Promise<Neighbors> {
  const held = await request.attempt('approvals.list', {
    query: { status: 'pending', content: 'false', limit: LIMIT },
  });
  // Ids are in the order of time, and the list is the newest first. A hold that was decided meanwhile is not in it.
  const ids = held.ok ? held.body.approvals.map((approval) => approval.id) : [];
  const older = ids.find((other) => other < id);
  const newer = ids.findLast((other) => other > id);
  return {
    newer: newer === undefined ? null : pathOf(newer),
    older: older === undefined ? null : pathOf(older),
    next: older === undefined ? APPROVALS : pathOf(older),
  };
}
