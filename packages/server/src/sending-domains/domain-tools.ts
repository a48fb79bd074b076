import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import type { AuditAction, AuditEntry } from '../db/queries/audit-log.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { ClaimChallenges } from './domain-claim.ts';
import type { KeyMaker } from './key-maker.ts';
import type { PublicHost } from './public-host.ts';

/** Dependencies of the functions on sending domains. */
export interface DomainTools {
  /** Bound to the caller's account within a call. */
  readonly sql: Sql;
  /** Never bound to an account: the holder of a name may be another account, and taking a name changes the rows of both. */
  readonly names: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly dns: DnsResolver;
  readonly secrets: SecretBox;
  readonly own: PublicHost;
  readonly challenges: ClaimChallenges;
  readonly keyMaker: KeyMaker;
}

export interface DomainReference {
  readonly accountId: string;
  readonly id: string;
}

/** Makes an audit entry about a domain. */
export function auditDomain(
  ids: IdGenerator,
  { accountId, id: targetId }: DomainReference,
  action: AuditAction,
  { actor, now }: { readonly actor: string; readonly now: Date },
  details: AuditEntry['details'],
): AuditEntry {
  return { accountId, id: ids.next(now), action, actor, targetId, details, now };
}
