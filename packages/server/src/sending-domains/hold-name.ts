import type { Transaction } from '../db/client.ts';
import type { AuditEntry } from '../db/queries/audit-log.ts';
import { lockName, readHolder } from '../db/queries/domain-names.ts';
import { lookUpClaim, takeOver } from './check-domain.ts';
import { type NameClaim, renewClaim } from './domain-claim.ts';
import type { DomainReference, DomainTools } from './domain-tools.ts';

/** A domain that is about to begin in an account. */
export interface Claimant extends DomainReference {
  readonly name: string;
}

/** Whether the account has proven, right now, that a name is its own although another account holds it; null where nobody does. */
export async function proveName(tools: DomainTools, claimant: Claimant): Promise<NameClaim | null> {
  return await lookUpClaim(tools, tools.dns.fresh(), claimant);
}

export type NameVerdict =
  | { readonly kind: 'held'; readonly claim: NameClaim }
  | { readonly kind: 'free'; readonly claimedAt: Date | null; readonly entries: readonly AuditEntry[] };

/** Decides, to the end of the transaction, whether a name may begin in an account; takes it from its holder where that was proven. */
export async function holdName(
  transaction: Transaction,
  tools: DomainTools,
  claimant: Claimant,
  asked: NameClaim | null,
  by: { readonly actor: string; readonly now: Date },
): Promise<NameVerdict> {
  await lockName(transaction, claimant.name);
  const holder = await readHolder(transaction, claimant.accountId, claimant.name);
  if (holder === null) return { kind: 'free', claimedAt: null, entries: [] };
  const claim = renewClaim(tools.challenges(claimant.accountId, claimant.name, holder), holder, asked);
  if (claim.outcome !== 'met') return { kind: 'held', claim };
  return { kind: 'free', claimedAt: by.now, entries: await takeOver(transaction, tools, claimant, holder, by) };
}
