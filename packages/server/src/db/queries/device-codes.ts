import type { Query } from '../client.ts';

export interface NewDeviceCode {
  readonly hash: Uint8Array;
  readonly userCode: string;
  readonly intervalSeconds: number;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** Keeps the codes of a device; false where the person's code is in use already. */
export async function insertDeviceCode(query: Query, code: NewDeviceCode): Promise<boolean> {
  const rows = await query`
    INSERT INTO device_codes (code_hash, user_code, interval_seconds, created_at, expires_at)
    VALUES (${code.hash}, ${code.userCode}, ${code.intervalSeconds}, ${code.now}, ${code.expiresAt})
    ON CONFLICT (user_code) DO NOTHING RETURNING 1`;
  return rows.length > 0;
}

export interface DeviceCodeRow {
  readonly userCode: string;
  readonly intervalSeconds: number;
  readonly expiresAt: Date;
  readonly polledAt: Date | null;
  /** Null until a person has confirmed it. */
  readonly userId: string | null;
  readonly accountId: string | null;
  readonly memberId: string | null;
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

/** False where the seat was taken away meanwhile; then nothing is confirmed. */
export async function confirmDeviceCode(
  query: Query,
  userCode: string,
  { userId, accountId, memberId }: { readonly userId: string; readonly accountId: string; readonly memberId: string },
): Promise<boolean> {
  const seats = await query`SELECT FROM members WHERE account_id = ${accountId} AND id = ${memberId} FOR KEY SHARE`;
  if (seats.length === 0) return false;
  await query`
    UPDATE device_codes SET user_id = ${userId}, account_id = ${accountId}, member_id = ${memberId} WHERE user_code = ${userCode}`;
  return true;
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
    user_code AS "userCode", interval_seconds AS "intervalSeconds", expires_at AS "expiresAt", polled_at AS "polledAt", user_id AS "userId",
    account_id AS "accountId", member_id AS "memberId"`;
}
