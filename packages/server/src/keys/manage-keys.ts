import {
  ALL_SCOPES,
  type FieldProblem,
  type KeyChangesInput,
  LIMITS,
  type NewKeyInput,
  type Scope,
} from '@postrider/core';
import type { Decider } from '../approvals/holds/decider.ts';
import { withdrawHoldsOfKey } from '../approvals/holds/withdraw-holds.ts';
import type { Clock } from '../clock.ts';
import type { Query, Sql, Transaction } from '../db/client.ts';
import { renewSignIn } from '../db/queries/access-tokens.ts';
import { type KeyRestrictions, type KeyRow, lockKey } from '../db/queries/api-keys.ts';
import { needsPasskey } from '../db/queries/approver-rules.ts';
import { type AuditAction, appendAudit } from '../db/queries/audit-log.ts';
import { markRevoked, replaceSecret, rewriteKey } from '../db/queries/key-changes.ts';
import { deleteOAuthRecordsOf } from '../db/queries/oauth-records.ts';
import { readKeyPause, setKeyPause } from '../db/queries/pauses.ts';
import { usableScopes, withUsableScopes } from '../usable-scopes.ts';
import { type IdGenerator, isUuid } from '../uuid-v7.ts';
import { createApiKey } from './api-key.ts';
import { changedFields } from './changed-fields.ts';
import { createKey, type NewKey, storeKey } from './create-key.ts';
import {
  findEscalations,
  findLooserApproval,
  findUndecidable,
  type RestrictionName,
  sharesLimits,
  withMakerLimits,
} from './escalation.ts';
import { showsMore } from './foreign-secret.ts';
import { applyRestrictions, defaultRestrictions } from './key-restrictions.ts';
import { decidePause, type Pauser } from './pause-rule.ts';
import { endOfSecret } from './secret-end.ts';

export interface KeyTools {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Who makes or changes a key: another key of the account, the key itself, or a user through the key of their seat. */
export type Granter = KeyRow & {
  /** True for a signed-in owner or admin. */
  readonly grantsAnything?: boolean;
};

export type KeyRefusal =
  | { readonly kind: 'missing' }
  /** A revoked key cannot be changed. */
  | { readonly kind: 'revoked' }
  /** A program that signed in uses the key by access tokens, so there is no secret to replace. */
  | { readonly kind: 'has-client' }
  /** Only the user who allowed a program, an owner or an admin may loosen its key. */
  | { readonly kind: 'not-grantor'; readonly names: readonly RestrictionName[] }
  /** The limit on generations of keys made by keys is reached. */
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] }
  /** A key tried to resume what a user paused. */
  | { readonly kind: 'paused-by-user'; readonly pauser: Pauser }
  | { readonly kind: 'escalation'; readonly names: readonly RestrictionName[] }
  /** The secret of a key that the caller did not create would show it messages that it may not see. */
  | { readonly kind: 'foreign-secret' }
  /** The change decides over held sends, which the caller may not do. */
  | { readonly kind: 'undecidable'; readonly names: readonly RestrictionName[] }
  /** The change loosens approvals that need a passkey, and no passkey has confirmed it. */
  | { readonly kind: 'unconfirmed'; readonly names: readonly RestrictionName[] };

type Done<More = unknown> = { readonly kind: 'done'; readonly row: KeyRow } & More;

/** A program that signed in with OAuth. */
export interface SignedInClient {
  readonly id: string;
  /** As the program reported it. */
  readonly name: string;
}

/**
 * Creates a key. The secret is only in the return value.
 * @param client the program that will use the key by access tokens, so that no one needs the secret
 */
export async function makeKey(
  { sql, clock, ids }: KeyTools,
  granter: Granter,
  { name, mode = 'live', ...requested }: NewKeyInput,
  client?: SignedInClient,
): Promise<Done<{ readonly secret: string }> | KeyRefusal> {
  const now = clock.now();
  const isProgram = client !== undefined;
  const verdict = applyRestrictions({ ...defaultRestrictions(mode), isProgram }, requested, now);
  if (!verdict.ok) return { kind: 'invalid', problems: verdict.problems };
  const names = findEscalations(boundsOf(granter), verdict.restrictions, null);
  if (names.length > 0) return { kind: 'escalation', names };
  if (makersBelow(granter).length > LIMITS.keyGenerations) return { kind: 'too-deep' };
  const { accountId, createdByMember } = granter;
  const { restrictions } = verdict;
  const key = {
    accountId,
    name,
    restrictions,
    makers: makersBelow(granter),
    createdByMember,
    ...(client === undefined ? {} : { clientId: client.id, clientName: client.name }),
    now,
  };
  return await sql.begin(async (transaction) => {
    const { id, secret } = await storeKey(transaction, ids, key);
    const row = await reread(transaction, accountId, id);
    const origin: AuditDetails = client === undefined ? {} : { client: client.id };
    await audit(transaction, ids, 'key.created', granter, row, now, origin);
    return { kind: 'done', row, secret };
  });
}

/** The makers of a new key, whose limits also count its sends. A user adds no maker. */
function makersBelow({ isSeat, keyId, makers }: Granter): readonly string[] {
  return isSeat ? [] : [keyId, ...makers];
}

/** The bounds within which a granter may grant. Owners and admins grant keys without limits, but no scope that their session lacks. */
function boundsOf(granter: Granter): KeyRestrictions {
  if (granter.grantsAnything !== true) return withMakerLimits(withUsableScopes(granter));
  return { ...defaultRestrictions('live'), rateLimit: LIMITS.keyRatePerMinuteMax, scopes: usableScopes(granter) };
}

/**
 * Lets a program that signed in before continue with its key, in another sign-in. The key keeps its limits and gets the scopes that the user
 * adds; its former sign-in ends.
 */
export async function continueClientKey(
  tools: KeyTools,
  granter: Granter,
  keyId: string,
  added: readonly Scope[],
): Promise<Done<{ readonly signIn: number }> | KeyRefusal> {
  return await onLiveKey(tools, granter, keyId, async (transaction, row, now) => {
    const before = { ...row, scopes: row.storedScopes };
    const scopes = ALL_SCOPES.filter((scope) => row.storedScopes.includes(scope) || added.includes(scope));
    const verdict = applyRestrictions({ ...before, isProgram: true }, { scopes: [...scopes] }, now);
    if (!verdict.ok) return { kind: 'invalid', problems: verdict.problems };
    const names = findEscalations(boundsOf(granter), verdict.restrictions, before);
    if (names.length > 0) return { kind: 'escalation', names };
    await rewriteKey(transaction, row, row.keyName, verdict.restrictions, now);
    const signIn = await renewSignIn(transaction, row);
    await deleteOAuthRecordsOf(transaction, row);
    const changed = await reread(transaction, row.accountId, keyId);
    const details = { client: row.clientId ?? '', ...(added.length === 0 ? {} : { added: added.join(', ') }) };
    await audit(transaction, tools.ids, 'key.signed_in', granter, changed, now, details);
    return { kind: 'done', row: changed, signIn };
  });
}

/** Creates a key from the server's own command line, where everything may be granted. */
export async function makeOperatorKey(
  { sql, clock, ids }: KeyTools,
  key: Omit<NewKey, 'now'>,
): Promise<{ readonly id: string; readonly secret: string }> {
  const now = clock.now();
  return await sql.begin(async (transaction) => {
    const { id, secret } = await createKey(transaction, ids, { ...key, now });
    await audit(transaction, ids, 'key.created', OPERATOR, await reread(transaction, key.accountId, id), now);
    return { id, secret };
  });
}

const OPERATOR = { keyId: 'operator' };

/**
 * Changes the fields of a key that are given.
 * @param isConfirmed whether a passkey of a user who may decide has confirmed exactly this change
 */
export async function changeKey(
  tools: KeyTools,
  granter: Granter,
  keyId: string,
  { name, ...requested }: KeyChangesInput,
  isConfirmed: boolean,
): Promise<Done | KeyRefusal> {
  return await onLiveKey(tools, granter, keyId, async (transaction, row, now) => {
    const before = { ...row, scopes: row.storedScopes };
    const verdict = applyRestrictions({ ...before, isProgram: row.clientId !== null }, requested, now);
    if (!verdict.ok) return { kind: 'invalid', problems: verdict.problems };
    // After the lock, the key's current row is known.
    const names = findEscalations(
      granter.keyId === keyId ? withMakerLimits(before) : boundsOf(granter),
      verdict.restrictions,
      before,
    );
    if (names.length > 0) return { kind: 'escalation', names };
    if (row.clientId !== null && granter.grantsAnything !== true && granter.createdByMember !== row.createdByMember) {
      const loosened = findEscalations(before, verdict.restrictions, null);
      if (loosened.length > 0) return { kind: 'not-grantor', names: loosened };
    }
    const undecidable = findUndecidable(withUsableScopes(granter), verdict.restrictions, before);
    if (undecidable.length > 0) return { kind: 'undecidable', names: undecidable };
    const looser = isConfirmed ? [] : findLooserApproval(verdict.restrictions, before);
    if (looser.length > 0 && (await needsPasskey(transaction, row.accountId, [keyId]))) {
      return { kind: 'unconfirmed', names: looser };
    }
    await rewriteKey(transaction, row, name ?? row.keyName, verdict.restrictions, now);
    const changed = await reread(transaction, row.accountId, keyId);
    const fields = changedFields(row, changed);
    if (fields.length > 0) {
      await audit(transaction, tools.ids, 'key.updated', granter, changed, now, { changed: fields.join(', ') });
    }
    return { kind: 'done', row: changed };
  });
}

/**
 * Gives a key a new secret. The caller learns the secret, so it can rotate only keys that are no wider than itself and whose sends count
 * against every limit that its own sends count against, and only if the secret shows it no messages that it may not see.
 */
export async function rotateSecret(
  tools: KeyTools,
  granter: Granter,
  keyId: string,
  graceSeconds: number,
): Promise<Done<{ readonly secret: string }> | KeyRefusal> {
  return await onLiveKey(tools, granter, keyId, async (transaction, row, now) => {
    if (row.clientId !== null) return { kind: 'has-client' };
    const names = granter.keyId === keyId ? [] : findEscalations(boundsOf(granter), withUsableScopes(row), null);
    if (names.length === 0 && !sharesLimits(granter, row)) return { kind: 'escalation', names: ['sendLimit'] };
    if (names.length > 0) return { kind: 'escalation', names };
    if (await showsMore(transaction, granter, row, graceSeconds)) return { kind: 'foreign-secret' };
    const { secret, ...stored } = createApiKey(row.mode);
    await replaceSecret(transaction, row, stored, endOfSecret(now, graceSeconds));
    const rotated = await reread(transaction, row.accountId, keyId);
    await audit(transaction, tools.ids, 'key.rotated', granter, rotated, now, { graceSeconds });
    return { kind: 'done', row: rotated, secret };
  });
}

/** Revokes a key and withdraws its held sends. A key that was already revoked stays unchanged. */
export async function revokeKey(
  tools: KeyTools,
  granter: Granter,
  keyId: string,
  decider: Decider,
): Promise<Done | KeyRefusal> {
  return await onKey(tools, granter, keyId, async (transaction, row, now) => {
    if (row.revokedAt !== null) return { kind: 'done', row };
    await revokeLockedKey(transaction, tools.ids, row, decider, now);
    return { kind: 'done', row: { ...row, revokedAt: now } };
  });
}

/** Revokes a key, in the transaction that has locked it, and withdraws its held sends. */
export async function revokeLockedKey(
  transaction: Query,
  ids: IdGenerator,
  row: KeyRow,
  decider: Decider,
  now: Date,
): Promise<void> {
  await markRevoked(transaction, row, now);
  await withdrawHoldsOfKey(transaction, ids, row, decider, now);
  await audit(transaction, ids, 'key.revoked', { keyId: decider.actor }, row, now);
}

/**
 * Pauses or resumes a key's sending. A key cannot resume what a user paused.
 * @param keepsOthers whether the caller cannot resume what another user paused either
 */
export async function pauseKey(
  tools: KeyTools,
  granter: Granter,
  keyId: string,
  paused: boolean,
  keepsOthers = false,
): Promise<Done | KeyRefusal> {
  return await onLiveKey(tools, granter, keyId, async (transaction, row, now) => {
    const present = await readKeyPause(transaction, row.accountId, row.keyId);
    const step = decidePause(present, paused, granter.isSeat);
    const isKept = step === 'resume' && keepsOthers && present?.isUser === true && present.keyId !== granter.keyId;
    if (present !== null && (step === 'refuse' || isKept)) return { kind: 'paused-by-user', pauser: present };
    if (step === 'nothing') return { kind: 'done', row };
    await setKeyPause(transaction, row, paused ? granter.keyId : null, now);
    const pausedAt = paused ? (row.pausedAt ?? now) : null;
    await audit(transaction, tools.ids, paused ? 'key.paused' : 'key.resumed', granter, row, now);
    return { kind: 'done', row: { ...row, pausedAt } };
  });
}

type Work<T> = (transaction: Transaction, row: KeyRow, now: Date) => Promise<T>;

async function onKey<T>(
  { sql, clock }: KeyTools,
  { accountId, mode }: Granter,
  keyId: string,
  work: Work<T>,
): Promise<T | KeyRefusal> {
  if (!isUuid(keyId)) return { kind: 'missing' };
  const result = await sql.begin(async (transaction) => {
    const row = await lockKey(transaction, accountId, keyId);
    if (row === null) return { result: MISSING };
    // A test key cannot affect live keys.
    if (mode === 'test' && row.mode === 'live') return { result: BEYOND_TEST };
    return { result: await work(transaction, row, clock.now()) };
  });
  return result.result;
}

const MISSING: KeyRefusal = { kind: 'missing' };
const BEYOND_TEST: KeyRefusal = { kind: 'escalation', names: ['mode'] };

async function onLiveKey<T>(
  tools: KeyTools,
  granter: Granter,
  keyId: string,
  work: Work<T | KeyRefusal>,
): Promise<T | KeyRefusal> {
  return await onKey<T | KeyRefusal>(tools, granter, keyId, async (transaction, row, now) =>
    row.revokedAt === null ? await work(transaction, row, now) : { kind: 'revoked' },
  );
}

async function reread(transaction: Transaction, accountId: string, keyId: string): Promise<KeyRow> {
  const row = await lockKey(transaction, accountId, keyId);
  if (row === null) throw new Error(`the key ${keyId} is gone from its own transaction`);
  return row;
}

type AuditDetails = Readonly<Record<string, string | number>>;

/** The entry includes the key's name, because the id alone means little to a reader. */
async function audit(
  transaction: Query,
  ids: IdGenerator,
  action: AuditAction,
  { keyId: actor }: { readonly keyId: string },
  { accountId, keyId: targetId, keyName: name, last4 }: KeyRow,
  now: Date,
  details: AuditDetails = {},
): Promise<void> {
  const entry = { accountId, id: ids.next(now), action, actor, targetId, details: { name, last4, ...details }, now };
  await appendAudit(transaction, [entry]);
}
