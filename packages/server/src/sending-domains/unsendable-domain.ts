import type { DomainRow } from '../db/queries/domains.ts';
import type { UnsendableDomain } from '../sending/acceptance.ts';
import { recordsToPublish } from './domain-records.ts';
import type { PublicHost } from './public-host.ts';

/** Why the account cannot send from its domain. For a pending or failed domain, this includes the records that were not found. */
export function explainUnsendable(domain: DomainRow, own: PublicHost): UnsendableDomain {
  const missing = recordsToPublish(domain, own).filter(({ id }) => domain.checks[id]?.status !== 'pass');
  const because = domain.status === 'removed' ? 'removed' : domain.heldByAnother ? 'held' : 'unverified';
  return { id: domain.id, because, missing };
}
