import type { Role } from '@postrider/core';
import type { Query } from '../client.ts';

export interface MemberRow {
  readonly id: string;
  readonly name: string | null;
  readonly email: string;
  readonly role: Role;
  readonly status: 'active' | 'invited';
  readonly joinedAt: Date | null;
}

/** The team, in the order in which seats were given. */
export async function listMembers(query: Query, accountId: string): Promise<readonly MemberRow[]> {
  return await query<MemberRow[]>`
    SELECT ${columns(query)} FROM members m LEFT JOIN users u ON u.id = m.user_id WHERE m.account_id = ${accountId} ORDER BY m.id`;
}

/** Everything that decides over seats waits for whoever else decides over those of the account: so the last owner and the last seat are exact. */
export async function lockTeam(transaction: Query, accountId: string): Promise<readonly MemberRow[]> {
  await transaction`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
  return await listMembers(transaction, accountId);
}

export async function insertInvitation(
  query: Query,
  invitation: {
    readonly accountId: string;
    readonly id: string;
    readonly email: string;
    readonly role: Role;
    readonly invitedBy: string;
    readonly now: Date;
  },
): Promise<void> {
  const { accountId, id, email, role, invitedBy, now } = invitation;
  await query`
    INSERT INTO members (account_id, id, email, role, status, joined_at, invited_by, invited_at)
    VALUES (${accountId}, ${id}, ${email}, ${role}, 'invited', NULL, ${invitedBy}, ${now})`;
}

export async function setMemberRole(query: Query, accountId: string, id: string, role: Role): Promise<void> {
  await query`UPDATE members SET role = ${role} WHERE account_id = ${accountId} AND id = ${id}`;
}

/** Drops the device sign-ins that a member confirmed and no device has collected. Goes before a change of the seat: polling locks the code first. */
export async function dropConfirmedDevices(query: Query, accountId: string, memberId: string): Promise<void> {
  await query`DELETE FROM device_codes WHERE account_id = ${accountId} AND member_id = ${memberId}`;
}

/**
 * Ends what a member could still decide with after losing a role that decides: their device sessions and the approval links they were mailed.
 * A role that decides again brings none of it back.
 */
export async function endDeciding(query: Query, accountId: string, memberId: string): Promise<void> {
  await query`
    UPDATE sessions SET may_decide = false WHERE account_id = ${accountId} AND member_id = ${memberId} AND kind = 'device'`;
  await query`DELETE FROM approval_links WHERE account_id = ${accountId} AND member_id = ${memberId} AND used_at IS NULL`;
}

/** Takes a seat away, with the sessions in it and the device sign-ins they confirmed; its key stays, revoked, because messages refer to it. */
export async function deleteMember(query: Query, accountId: string, id: string, now: Date): Promise<void> {
  await dropConfirmedDevices(query, accountId, id);
  await query`DELETE FROM members WHERE account_id = ${accountId} AND id = ${id}`;
  await endDeciding(query, accountId, id);
  await query`UPDATE api_keys SET revoked_at = ${now} WHERE account_id = ${accountId} AND id = ${id} AND is_seat`;
}

function columns(query: Query) {
  return query`m.id, u.name, m.email, m.role, m.status, m.joined_at AS "joinedAt"`;
}
