import type { DomainRow } from '../db/queries/domains.ts';
import type { UnsendableDomain } from '../sending/acceptance.ts';
import { recordsToPublish } from './domain-records.ts';
import type { PublicHost } from './public-host.ts';

/** Why mail cannot be sent from a domain that the account has: of a pending or failed one the records that were not found yet. */
export function explainUnsendable(domain: DomainRow, own: PublicHost): UnsendableDomain {
  const missing = recordsToPublish(domain, own).filter(({ id }) => domain.checks[id]?.status !== 'pass');
  const because = domain.status === 'removed' ? 'removed' : domain.heldByAnother ? 'held' : 'unverified';
  return { id: domain.id, because, missing };
}
