import type { Transaction } from '../db/client.ts';
import type { AuditEntry } from '../db/queries/audit-log.ts';
import { lockName, readHolder } from '../db/queries/domain-names.ts';
import { lookUpClaim, takeOver } from './check-domain.ts';
import { type NameClaim, renewClaim } from './domain-claim.ts';
import type { DomainReference, DomainTools } from './domain-tools.ts';

/** A domain that an account is about to add. */
export interface Claimant extends DomainReference {
  readonly name: string;
}

/** Whether the account has just proven that a name is its own although another account has it; null if no other account does. */
export async function proveName(tools: DomainTools, claimant: Claimant): Promise<NameClaim | null> {
  return await lookUpClaim(tools, tools.dns.fresh(), claimant);
}

export type NameVerdict =
  | { readonly kind: 'held'; readonly claim: NameClaim }
  | { readonly kind: 'free'; readonly claimedAt: Date | null; readonly entries: readonly AuditEntry[] };

/**
 * Decides, with a lock until the end of the transaction, whether an account may add a name. Takes the name from its holder if the claim was
 * proven.
 */
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
