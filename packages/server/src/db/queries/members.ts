import type { Role } from '@postrider/core';
import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, isNull, sql } from '../drizzle.ts';
import { approvalLinks } from '../schema/approvals.ts';
import { apiKeys } from '../schema/keys.ts';
import { deviceCodes, sessions } from '../schema/sessions.ts';
import { members, users } from '../schema/users.ts';
import { defineStatement, type RowOf } from '../statement.ts';
import { lockAccount } from './accounts.ts';

const list = defineStatement({ accountId: members.accountId }, ({ accountId }) =>
  builder
    .select(
      named({
        ...{ id: members.id, name: users.name, email: members.email },
        ...{ role: members.role, status: members.status, joinedAt: members.joinedAt },
      }),
    )
    .from(members)
    .leftJoin(users, eq(users.id, members.userId))
    .where(eq(members.accountId, accountId))
    .orderBy(members.id),
);

export type MemberRow = RowOf<typeof list>;

/** The team, in the order in which seats were added. */
export async function listMembers(query: Query, accountId: string): Promise<readonly MemberRow[]> {
  return await list(query, { accountId });
}

/** Serializes decisions about the seats of an account, so that the checks for the last owner and the last seat are exact. */
export async function lockTeam(transaction: Query, accountId: string): Promise<readonly MemberRow[]> {
  await lockAccount(transaction, { id: accountId });
  return await listMembers(transaction, accountId);
}

export const insertInvitation = defineStatement(
  {
    ...{ accountId: members.accountId, id: members.id, email: members.email, role: members.role },
    ...{ invitedBy: members.invitedBy, now: members.invitedAt },
  },
  ({ now, ...invitation }) => builder.insert(members).values({ ...invitation, status: sql`'invited'`, invitedAt: now }),
);

const SEAT = { accountId: members.accountId, id: members.id };

const setRole = defineStatement({ ...SEAT, role: members.role }, ({ accountId, id, role }) =>
  builder
    .update(members)
    .set({ role })
    .where(and(eq(members.accountId, accountId), eq(members.id, id))),
);

export async function setMemberRole(query: Query, accountId: string, id: string, role: Role): Promise<void> {
  await setRole(query, { accountId, id, role });
}

const dropDevices = defineStatement(SEAT, ({ accountId, id }) =>
  builder.delete(deviceCodes).where(and(eq(deviceCodes.accountId, accountId), eq(deviceCodes.memberId, id))),
);

/**
 * Deletes the device sign-ins that a member confirmed and no device has collected. Call it before changing the seat, because polling locks
 * the code first.
 */
export async function dropConfirmedDevices(query: Query, accountId: string, memberId: string): Promise<void> {
  await dropDevices(query, { accountId, id: memberId });
}

const endDevices = defineStatement(SEAT, ({ accountId, id }) =>
  builder
    .update(sessions)
    .set({ mayDecide: sql`false` })
    .where(and(eq(sessions.accountId, accountId), eq(sessions.memberId, id), eq(sessions.kind, sql`'device'`))),
);

const endLinks = defineStatement(SEAT, ({ accountId, id }) =>
  builder
    .delete(approvalLinks)
    .where(and(eq(approvalLinks.accountId, accountId), eq(approvalLinks.memberId, id), isNull(approvalLinks.usedAt))),
);

/**
 * Ends everything a member could still decide with after losing a deciding role: device sessions and mailed approval links. A later
 * deciding role restores none of it.
 */
export async function endDeciding(query: Query, accountId: string, memberId: string): Promise<void> {
  await endDevices(query, { accountId, id: memberId });
  await endLinks(query, { accountId, id: memberId });
}

const remove = defineStatement(SEAT, ({ accountId, id }) =>
  builder.delete(members).where(and(eq(members.accountId, accountId), eq(members.id, id))),
);

const revokeSeatKey = defineStatement({ ...SEAT, now: apiKeys.revokedAt }, ({ accountId, id, now }) =>
  builder
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, id), apiKeys.isSeat)),
);

/**
 * Removes a seat with its sessions and the device sign-ins that the member confirmed. Its key stays, revoked, because messages refer to it.
 */
export async function deleteMember(query: Query, accountId: string, id: string, now: Date): Promise<void> {
  await dropConfirmedDevices(query, accountId, id);
  await remove(query, { accountId, id });
  await endDeciding(query, accountId, id);
  await revokeSeatKey(query, { accountId, id, now });
}
