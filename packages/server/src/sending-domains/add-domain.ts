import { LIMITS } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import { insertDkimKeys, readUsedSelectors } from '../db/queries/dkim-keys.ts';
import { hasDomain } from '../db/queries/domain-names.ts';
import { countDomains, countForAddition, insertDomain } from '../db/queries/domains.ts';
import type { NameClaim } from './domain-claim.ts';
import { beginPending } from './domain-status.ts';
import { auditDomain, type DomainTools } from './domain-tools.ts';
import { holdName, proveName } from './hold-name.ts';
import type { TooManyKeys } from './key-maker.ts';
import { makeKeys, type NewKeyOptions } from './new-keys.ts';

export interface DomainOrder {
  readonly accountId: string;
  readonly name: string;
  readonly returnPathHost: string;
  readonly keys: readonly NewKeyOptions[];
  readonly actor: string;
}

/** Why an account cannot add a domain. */
export type BeginRefusal =
  | { readonly kind: 'exists' }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'claimed'; readonly claim: NameClaim }
  | TooManyKeys;

/** The account has already had a key with this selector at the name. */
export interface SelectorTaken {
  readonly kind: 'selector-taken';
  readonly selector: string;
  readonly name: string;
}

/** Adds a pending domain with its keys, in one transaction. DNS queries and key generation run outside the transaction. */
export async function addDomain(
  tools: DomainTools,
  { accountId, name, returnPathHost, keys: options, actor }: DomainOrder,
): Promise<BeginRefusal | SelectorTaken | { readonly kind: 'added'; readonly id: string }> {
  // Generating a key takes a second of CPU time, so check first whether the domain already exists.
  if (await hasDomain(tools.sql, accountId, name)) return { kind: 'exists' };
  if (
    (await countDomains(tools.sql, { accountId, removed: false, cap: LIMITS.domainsPerAccount })) >=
    LIMITS.domainsPerAccount
  ) {
    return { kind: 'too-many' };
  }
  const id = tools.ids.next(tools.clock.now());
  const claimant = { accountId, id, name };
  const taken = await findTaken(tools.sql, claimant, options);
  if (taken !== null) return taken;
  const asked = await proveName(tools, claimant);
  // A caller who retries until the challenge is published gets no new key each time.
  if (asked !== null && asked.outcome !== 'met') return { kind: 'claimed', claim: asked };
  const now = tools.clock.now();
  const keys = await makeKeys(tools, claimant, options, now);
  if ('kind' in keys) return keys;
  return await tools.names.begin(async (transaction) => {
    if ((await countForAddition(transaction, accountId)) >= LIMITS.domainsPerAccount) {
      // A name added twice is reported first, even if something else is also wrong.
      return { kind: (await hasDomain(transaction, accountId, name)) ? 'exists' : 'too-many' };
    }
    if (await hasDomain(transaction, accountId, name)) return { kind: 'exists' };
    // While the account has no domain of this name, only another addition could use a selector, and additions wait for this transaction.
    const takenMeanwhile = await findTaken(transaction, claimant, options);
    if (takenMeanwhile !== null) return takenMeanwhile;
    const verdict = await holdName(transaction, tools, claimant, asked, { actor, now });
    if (verdict.kind === 'held') return { kind: 'claimed', claim: verdict.claim };
    const { since: statusSince, nextCheckAt } = beginPending(now);
    const domain = { accountId, id, name, returnPathHost, statusSince, nextCheckAt, claimedAt: verdict.claimedAt, now };
    if (!(await insertDomain(transaction, domain))) return { kind: 'exists' };
    await insertDkimKeys(transaction, keys);
    const created = auditDomain(tools.ids, claimant, 'domain.created', { actor, now }, { name });
    await appendAudit(transaction, [created, ...verdict.entries]);
    return { kind: 'added', id };
  });
}

/** Returns the first of the selectors under which the account has already had a key at this name. */
async function findTaken(
  query: Query,
  { accountId, name }: { readonly accountId: string; readonly name: string },
  options: readonly NewKeyOptions[],
): Promise<SelectorTaken | null> {
  const used = await readUsedSelectors(query, accountId, name);
  const selector = options.map((option) => option.selector).find((selector) => used.has(selector));
  return selector === undefined ? null : { kind: 'selector-taken', selector, name };
}
