import type { Role } from '@postrider/core';
import type { Query } from '../client.ts';

export interface NewDeviceCode {
  readonly hash: Uint8Array;
  readonly userCode: string;
  readonly intervalSeconds: number;
  /** What the program said of itself. */
  readonly client: string;
  readonly address: string;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** Keeps the codes of a device; false where the person's code is in use already. */
export async function insertDeviceCode(query: Query, code: NewDeviceCode): Promise<boolean> {
  const rows = await query`
    INSERT INTO device_codes (code_hash, user_code, interval_seconds, client, address, created_at, expires_at)
    VALUES (${code.hash}, ${code.userCode}, ${code.intervalSeconds}, ${code.client}, ${code.address}, ${code.now}, ${code.expiresAt})
    ON CONFLICT (user_code) DO NOTHING RETURNING 1`;
  return rows.length > 0;
}

export interface DeviceCodeRow {
  readonly userCode: string;
  readonly intervalSeconds: number;
  readonly client: string;
  readonly address: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly polledAt: Date | null;
  /** Null until a person has confirmed it. */
  readonly userId: string | null;
  readonly accountId: string | null;
  readonly memberId: string | null;
  /** Whether the person let it decide held sends. */
  readonly mayDecide: boolean;
}

/** What a device asks after, behind its lock; null where nothing is known of the code. */
export async function lockDeviceCode(query: Query, hash: Uint8Array): Promise<DeviceCodeRow | null> {
  const [row] = await query<DeviceCodeRow[]>`
    SELECT ${columns(query)} FROM device_codes WHERE code_hash = ${hash} FOR UPDATE`;
  return row ?? null;
}

/** By what the person typed, behind its lock. */
export async function lockUserCode(query: Query, userCode: string): Promise<DeviceCodeRow | null> {
  const [row] = await query<DeviceCodeRow[]>`
    SELECT ${columns(query)} FROM device_codes WHERE user_code = ${userCode} FOR UPDATE`;
  return row ?? null;
}

/** The role of a seat, locked against a change of it until the transaction ends; null where the seat was taken away. */
export async function lockSeatRole(query: Query, accountId: string, memberId: string): Promise<Role | null> {
  const [seat] = await query<{ role: Role }[]>`
    SELECT role FROM members WHERE account_id = ${accountId} AND id = ${memberId} AND status = 'active' FOR SHARE`;
  return seat?.role ?? null;
}

export interface DeviceConsent {
  readonly userId: string;
  readonly accountId: string;
  readonly memberId: string;
  readonly mayDecide: boolean;
}

export async function confirmDeviceCode(
  query: Query,
  userCode: string,
  { userId, accountId, memberId, mayDecide }: DeviceConsent,
): Promise<void> {
  await query`
    UPDATE device_codes SET user_id = ${userId}, account_id = ${accountId}, member_id = ${memberId}, may_decide = ${mayDecide}
    WHERE user_code = ${userCode}`;
}

/** Notes that the device has asked, and how long it has to wait from now on. */
export async function noteDevicePoll(
  query: Query,
  hash: Uint8Array,
  intervalSeconds: number,
  now: Date,
): Promise<void> {
  await query`
    UPDATE device_codes SET polled_at = ${now}, interval_seconds = ${intervalSeconds} WHERE code_hash = ${hash}`;
}

export async function deleteDeviceCode(query: Query, userCode: string): Promise<void> {
  await query`DELETE FROM device_codes WHERE user_code = ${userCode}`;
}

function columns(query: Query) {
  return query`
    user_code AS "userCode", interval_seconds AS "intervalSeconds", client, address, created_at AS "createdAt", expires_at AS "expiresAt",
    polled_at AS "polledAt", user_id AS "userId", account_id AS "accountId", member_id AS "memberId", may_decide AS "mayDecide"`;
}
