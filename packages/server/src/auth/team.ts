import { isRoleWithin, LIMITS, type Role, type Scope, scopesOfRole, scopesOfSession } from '@postrider/core';
import { SYSTEM } from '../approvals/holds/decider.ts';
import type { Clock } from '../clock.ts';
import type { Query, Sql } from '../db/client.ts';
import { listClientKeysOf } from '../db/queries/access-tokens.ts';
import { lockKey } from '../db/queries/api-keys.ts';
import { someNeedPasskey } from '../db/queries/approver-rules.ts';
import { findInvitation } from '../db/queries/audit-entries.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import {
  deleteMember,
  dropConfirmedDevices,
  endDeciding,
  insertInvitation,
  lockTeam,
  type MemberRow,
  setMemberRole,
} from '../db/queries/members.ts';
import type { Caller } from '../keys/caller.ts';
import { findEscalations, type RestrictionName, withMakerLimits } from '../keys/escalation.ts';
import { defaultRestrictions } from '../keys/key-restrictions.ts';
import { revokeLockedKey } from '../keys/manage-keys.ts';
import { withUsableScopes } from '../usable-scopes.ts';
import { type IdGenerator, idFloorAfter, isUuid } from '../uuid-v7.ts';

export interface TeamTools {
  readonly sql: Pick<Sql, 'begin'>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** A role that may do more than the caller. For a key: the scopes that it lacks, and its other limits. */
export type TooHighRole =
  | { readonly kind: 'escalation'; readonly of: 'user' }
  | {
      readonly kind: 'escalation';
      readonly of: 'key';
      readonly lacks: readonly Scope[];
      readonly limits: readonly RestrictionName[];
    };

/** `unconfirmed`: the change adds someone who approves, approvals need a passkey, and none has confirmed it. */
export type TeamRefusal = TooHighRole | { readonly kind: 'missing' | 'exists' | 'full' | 'last-owner' | 'unconfirmed' };

export type TeamVerdict = { readonly kind: 'done'; readonly member: MemberRow } | TeamRefusal;

/** `limited`: the account has reached its limit of mailed invitations. */
export type InviteVerdict = TeamVerdict | { readonly kind: 'limited'; readonly retryAfterSeconds: number };

const DAY_MS = 86_400_000;
/** The lowest possible id, used to compute the lowest id of a time. */
const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** @param isConfirmed whether a passkey of a user who may decide has confirmed exactly this change */
export async function inviteMember(
  tools: TeamTools,
  caller: Caller,
  { email, role }: { readonly email: string; readonly role: Role },
  isConfirmed: boolean,
): Promise<InviteVerdict> {
  return await onTeam<InviteVerdict>(tools, caller, async (transaction, team, now) => {
    const tooHigh = findTooHigh(caller, role, team);
    if (tooHigh !== null) return tooHigh;
    if (!isConfirmed && (await addsApprover(transaction, caller, role))) return { kind: 'unconfirmed' };
    if (team.some((member) => member.email.toLowerCase() === email.toLowerCase())) return { kind: 'exists' };
    if (team.length >= LIMITS.seatsPerAccount) return { kind: 'full' };
    const { accountId } = caller;
    const dayAgo = new Date(now.getTime() - DAY_MS);
    const since = { at: dayAgo, id: idFloorAfter(NIL_ID, dayAgo.getTime()) };
    const oldest = await findInvitation(transaction, { accountId, since, rank: LIMITS.invitationsPerDay });
    if (oldest !== null) {
      return { kind: 'limited', retryAfterSeconds: Math.ceil((oldest.getTime() - dayAgo.getTime()) / 1_000) };
    }
    const member = { id: tools.ids.next(now), name: null, email, role, status: 'invited', joinedAt: null } as const;
    await insertInvitation(transaction, { ...member, accountId, invitedBy: caller.keyId, now });
    await audit(transaction, tools, caller, 'member.invited', member, now);
    return { kind: 'done', member };
  });
}

/** @param isConfirmed as for `inviteMember` */
export async function changeRole(
  tools: TeamTools,
  caller: Caller,
  id: string,
  role: Role,
  isConfirmed: boolean,
): Promise<TeamVerdict> {
  return await onMember(tools, caller, id, async (transaction, team, member, now) => {
    const tooHigh = findTooHigh(caller, role, team);
    if (tooHigh !== null) return tooHigh;
    if (member.role === role) return { kind: 'done', member };
    if (role !== 'owner' && isLastOwner(team, member)) return { kind: 'last-owner' };
    if (!isConfirmed && !decides(member.role) && (await addsApprover(transaction, caller, role))) {
      return { kind: 'unconfirmed' };
    }
    const losesDecisionRight = decides(member.role) && !decides(role);
    if (losesDecisionRight) await dropConfirmedDevices(transaction, caller.accountId, member.id);
    await setMemberRole(transaction, caller.accountId, member.id, role);
    if (losesDecisionRight) await endDeciding(transaction, caller.accountId, member.id);
    const changed = { ...member, role };
    await audit(transaction, tools, caller, 'member.updated', changed, now, { formerRole: member.role });
    return { kind: 'done', member: changed };
  });
}

/** Removes a member and their seat. Returns the member as they were. */
export async function removeMember(tools: TeamTools, caller: Caller, id: string): Promise<TeamVerdict> {
  return await onMember(tools, caller, id, async (transaction, team, member, now) => {
    if (isLastOwner(team, member)) return { kind: 'last-owner' };
    await deleteMember(transaction, caller.accountId, member.id, now);
    await revokeClientKeys(transaction, tools, caller, member.id, now);
    await audit(transaction, tools, caller, 'member.removed', member, now);
    return { kind: 'done', member };
  });
}

/** Programs that signed in as the member lose their access: what they hold is withdrawn. */
async function revokeClientKeys(
  transaction: Query,
  { ids }: TeamTools,
  { accountId, keyId: actor }: Caller,
  memberId: string,
  now: Date,
): Promise<void> {
  for (const keyId of await listClientKeysOf(transaction, accountId, memberId)) {
    const key = await lockKey(transaction, accountId, keyId);
    if (key !== null) await revokeLockedKey(transaction, ids, key, { ...SYSTEM, actor }, now);
  }
}

/**
 * Why the caller may not grant or revoke a role; null if they may. A user may grant no role above their own, and none with scopes that their
 * session lacks: a device session that cannot decide held sends cannot appoint approvers. A key may grant only roles within what it could
 * give a new key.
 */
function findTooHigh({ user, row }: Caller, role: Role, team: readonly MemberRow[]): TooHighRole | null {
  const needed = scopesOfRole(role);
  if (user !== null) {
    // Read after the lock: a caller who was authorized just before being removed or demoted must not undo that.
    const own = team.find(({ id }) => id === user.memberId)?.role;
    if (own === undefined || !isRoleWithin(role, own)) return { kind: 'escalation', of: 'user' };
    const scopes = scopesOfSession(own, user.mayDecide);
    const isWithin = scopes.includes('team:write') && needed.every((scope) => scopes.includes(scope));
    return isWithin ? null : { kind: 'escalation', of: 'user' };
  }
  const key = withMakerLimits(withUsableScopes(row));
  const names = findEscalations(key, { ...defaultRestrictions('live'), scopes: needed }, null);
  if (names.length === 0) return null;
  const lacks = needed.filter((scope) => !key.scopes.includes(scope));
  return { kind: 'escalation', of: 'key', lacks, limits: names.filter((name) => name !== 'scopes') };
}

/** Otherwise an attacker with a stolen session could invite themselves, and approve with a passkey of their own. */
async function addsApprover(transaction: Query, { accountId }: Caller, role: Role): Promise<boolean> {
  return decides(role) && (await someNeedPasskey(transaction, accountId));
}

function decides(role: Role): boolean {
  return scopesOfRole(role).includes('approvals:decide');
}

function isLastOwner(team: readonly MemberRow[], { id, role, status }: MemberRow): boolean {
  const isOwner = (member: MemberRow) => member.role === 'owner' && member.status === 'active';
  return role === 'owner' && status === 'active' && !team.some((member) => member.id !== id && isOwner(member));
}

type Work<Verdict> = (transaction: Query, team: readonly MemberRow[], now: Date) => Promise<Verdict>;

async function onTeam<Verdict>(
  { sql, clock }: TeamTools,
  { accountId }: Caller,
  work: Work<Verdict>,
): Promise<Verdict> {
  const result = await sql.begin(async (transaction) => {
    const team = await lockTeam(transaction, accountId);
    return { verdict: await work(transaction, team, clock.now()) };
  });
  return result.verdict;
}

async function onMember(
  tools: TeamTools,
  caller: Caller,
  id: string,
  work: (transaction: Query, team: readonly MemberRow[], member: MemberRow, now: Date) => Promise<TeamVerdict>,
): Promise<TeamVerdict> {
  if (!isUuid(id)) return { kind: 'missing' };
  return await onTeam<TeamVerdict>(tools, caller, async (transaction, team, now) => {
    const member = team.find((row) => row.id === id.toLowerCase());
    if (member === undefined) return { kind: 'missing' };
    // Only a caller who could grant a role may revoke it.
    const tooHigh = member.id === caller.user?.memberId ? null : findTooHigh(caller, member.role, team);
    if (tooHigh !== null) return tooHigh;
    return await work(transaction, team, member, now);
  });
}

async function audit(
  transaction: Query,
  { ids }: TeamTools,
  { accountId, keyId: actor }: Caller,
  action: 'member.invited' | 'member.updated' | 'member.removed',
  { id: targetId, email, role }: MemberRow,
  now: Date,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const entry = { accountId, id: ids.next(now), action, actor, targetId, details: { email, role, ...more }, now };
  await appendAudit(transaction, [entry]);
}
