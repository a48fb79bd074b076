import { LIMITS } from '@postrider/core';
import { appendAudit } from '../db/queries/audit-log.ts';
import { deleteKey, forgetRetiredKeys, insertDkimKeys, readUsedSelectors, retireKey } from '../db/queries/dkim-keys.ts';
import { forgetOldSelectors } from '../db/queries/dkim-selectors.ts';
import { type DomainKey, type DomainRow, lockDomain, readDomain } from '../db/queries/domains.ts';
import type { SelectorTaken } from './add-domain.ts';
import { fitsName } from './domain-name.ts';
import { auditDomain, type DomainReference, type DomainTools } from './domain-tools.ts';
import type { TooManyKeys } from './key-maker.ts';
import { ed25519Selector, makeKeys, makeSelector, type NewKeyOptions } from './new-keys.ts';

export interface RotationOrder {
  readonly dkimSelector: string | null;
  /** Whether the domain is to have an Ed25519 key; null to rotate it only if there is one. */
  readonly ed25519: boolean | null;
  readonly actor: string;
}

export type RotationVerdict =
  | { readonly kind: 'rotated'; readonly domain: DomainRow }
  | SelectorTaken
  | { readonly kind: 'selector-too-long' }
  | TooManyKeys;

/** The changes that a rotation makes to a domain's keys. */
export interface RotationPlan {
  /** Waiting keys, not known to be published, that the rotation replaces or removes. */
  readonly drops: readonly DomainKey[];
  readonly retires: readonly DomainKey[];
  readonly makes: readonly NewKeyOptions[];
}

/**
 * Plans a rotation. A key that is still waiting for its record counts as new, so a repeated call changes nothing, unless it asks for
 * another selector.
 * @param used the selectors of all keys that the name has had, including deleted keys
 */
export function planRotation(
  keys: readonly DomainKey[],
  order: RotationOrder,
  freshSelector: string,
  used: ReadonlySet<string> = new Set(keys.map(({ selector }) => selector)),
): RotationPlan {
  const inUse = (algorithm: DomainKey['algorithm']) =>
    keys.filter((key) => key.algorithm === algorithm && key.state !== 'retired');
  const waiting = (algorithm: DomainKey['algorithm']) => inUse(algorithm).find(({ state }) => state === 'waiting');
  const waitingRsa = waiting('rsa');
  const keepsRsa = waitingRsa !== undefined && (order.dkimSelector ?? waitingRsa.selector) === waitingRsa.selector;
  const selector = keepsRsa ? waitingRsa.selector : (order.dkimSelector ?? freshSelector);
  const makesRsa: NewKeyOptions[] = keepsRsa ? [] : [{ algorithm: 'rsa', selector, state: 'waiting' }];
  const dropsRsa = keepsRsa || waitingRsa === undefined ? [] : [waitingRsa];
  if (order.ed25519 === false) {
    const second = inUse('ed25519');
    return {
      drops: [...dropsRsa, ...second.filter(({ state }) => state === 'waiting')],
      retires: second.filter(({ state }) => state === 'signing'),
      makes: makesRsa,
    };
  }
  const wantsSecond = order.ed25519 ?? inUse('ed25519').length > 0;
  const makesSecond = wantsSecond && waiting('ed25519') === undefined;
  // While both new keys wait, a repeated call changes nothing. If only the second key is new, it gets its own selector.
  const own = used.has(ed25519Selector(selector)) ? freshSelector : selector;
  const second: NewKeyOptions[] = makesSecond
    ? [{ algorithm: 'ed25519', selector: ed25519Selector(own), state: 'waiting' }]
    : [];
  return { drops: dropsRsa, retires: [], makes: [...makesRsa, ...second] };
}

/**
 * Starts a rotation. New keys wait until their records are found; the old keys sign until then. Returns null if there is no such domain.
 */
export async function rotateKeys(
  tools: DomainTools,
  reference: DomainReference,
  order: RotationOrder,
): Promise<RotationVerdict | null> {
  const freshSelector = makeSelector();
  for (;;) {
    const domain = await readDomain(tools.sql, reference.accountId, reference.id);
    if (domain === null || domain.status === 'removed') return null;
    const used = await readUsedSelectors(tools.sql, domain.accountId, domain.name);
    const plan = planRotation(domain.keys, order, freshSelector, used);
    if (isEmpty(plan)) return { kind: 'rotated', domain };
    if (!plan.makes.every(({ selector }) => fitsName(selector, domain.name))) return { kind: 'selector-too-long' };
    const taken = plan.makes.map(({ selector }) => selector).find((selector) => used.has(selector));
    if (taken !== undefined) return { kind: 'selector-taken', selector: taken, name: domain.name };
    const after = await carryOut(tools, domain, plan, order.actor);
    if (after !== null) return 'kind' in after ? after : { kind: 'rotated', domain: after };
  }
}

function isEmpty({ drops, retires, makes }: RotationPlan): boolean {
  return drops.length + retires.length + makes.length === 0;
}

/** Returns null if the domain's keys changed meanwhile, so that the plan is outdated. Keys are generated outside the transaction. */
async function carryOut(
  tools: DomainTools,
  { accountId, id, name, keys: known }: DomainRow,
  { drops, retires, makes }: RotationPlan,
  actor: string,
): Promise<DomainRow | TooManyKeys | null> {
  const now = tools.clock.now();
  const keys = await makeKeys(tools, { accountId, id }, makes, now);
  if ('kind' in keys) return keys;
  return await tools.sql.begin(async (transaction) => {
    const domain = await lockDomain(transaction, accountId, id);
    if (domain === null || domain.status === 'removed' || !areSame(domain.keys, known)) return null;
    const used = await readUsedSelectors(transaction, accountId, name);
    if (makes.some(({ selector }) => used.has(selector))) return null;
    for (const key of drops) await deleteKey(transaction, accountId, key.id);
    for (const key of retires) await retireKey(transaction, accountId, key.id, now);
    await insertDkimKeys(transaction, keys);
    await forgetRetiredKeys(transaction, { accountId, id }, LIMITS.retiredKeysPerDomain);
    await forgetOldSelectors(transaction, { accountId, name }, LIMITS.unusedSelectorsPerName);
    const details = { name, selectors: makes.map(({ selector }) => selector).join(', ') || null };
    await appendAudit(transaction, [
      auditDomain(tools.ids, { accountId, id }, 'domain.rotation_started', { actor, now }, details),
    ]);
    return await readDomain(transaction, accountId, id);
  });
}

function areSame(keys: readonly DomainKey[], known: readonly DomainKey[]): boolean {
  return (
    keys.length === known.length && keys.every((key, at) => key.id === known[at]?.id && key.state === known[at]?.state)
  );
}
