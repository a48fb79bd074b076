import { randomInt } from 'node:crypto';
import { LIMITS } from '@postrider/core';
import {
  confirmDeviceCode,
  type DeviceCodeRow,
  deleteDeviceCode,
  insertDeviceCode,
  lockDeviceCode,
  lockUserCode,
  noteDevicePoll,
} from '../db/queries/device-codes.ts';
import type { Person } from '../keys/caller.ts';
import { endOfSession } from './session-lifetime.ts';
import { createSecret, hashToken } from './session-token.ts';
import { beginSession, type SignInTools } from './sign-in.ts';

type DeviceTools = Pick<SignInTools, 'sql' | 'clock' | 'ids'>;

/** Consonants that cannot be taken for one another or for digits, and form no words (RFC 8628, section 6.1): 20^8 codes. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE_LETTERS = 8;
const MINUTE_MS = 60_000;
/** RFC 8628, section 3.5: by so much longer is the interval after each `slow_down`. */
const SLOWER_SECONDS = 5;
/** Timers and networks are not exact. */
const TOLERANCE_MS = 500;

export interface StartedDevice {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly expiresIn: number;
  readonly interval: number;
}

/** Makes the codes of a device that wants to sign in. */
export async function startDevice({ sql, clock }: DeviceTools): Promise<StartedDevice> {
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + LIMITS.deviceCodeMinutes * MINUTE_MS);
  const { token: deviceCode, hash } = createSecret();
  const interval = LIMITS.deviceIntervalSeconds;
  for (;;) {
    const letters = Array.from({ length: USER_CODE_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
    if (await insertDeviceCode(sql, { hash, userCode, intervalSeconds: interval, now, expiresAt })) {
      return { deviceCode, userCode, expiresIn: LIMITS.deviceCodeMinutes * 60, interval };
    }
  }
}

/** What a person typed, as it is stored: without regard to case, hyphens and spaces. */
export function toUserCode(typed: string): string {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

export type ConfirmVerdict = 'confirmed' | 'unknown' | 'expired';

/** Lets the device that shows this code act for the person. Only the first person who confirms it counts. */
export async function confirmDevice(
  { sql, clock }: DeviceTools,
  typed: string,
  { userId, memberId }: Person,
  accountId: string,
): Promise<ConfirmVerdict> {
  return await onUserCode({ sql, clock }, typed, userId, async (transaction, code) => {
    return (
      code.userId !== null || (await confirmDeviceCode(transaction, code.userCode, { userId, accountId, memberId }))
    );
  });
}

/** Turns a device down: its code is worth nothing from now on. */
export async function denyDevice(
  { sql, clock }: DeviceTools,
  typed: string,
  { userId }: Person,
): Promise<ConfirmVerdict> {
  return await onUserCode({ sql, clock }, typed, userId, async (transaction, code) => {
    await deleteDeviceCode(transaction, code.userCode);
    return true;
  });
}

/** Answers false where the person has no seat any more. */
type Work = (transaction: Parameters<typeof deleteDeviceCode>[0], code: DeviceCodeRow) => Promise<boolean>;

async function onUserCode(
  { sql, clock }: Pick<DeviceTools, 'sql' | 'clock'>,
  typed: string,
  userId: string,
  work: Work,
): Promise<ConfirmVerdict> {
  return await sql.begin(async (transaction): Promise<ConfirmVerdict> => {
    const code = await lockUserCode(transaction, toUserCode(typed));
    if (code === null || (code.userId !== null && code.userId !== userId)) return 'unknown';
    if (code.expiresAt <= clock.now()) return 'expired';
    return (await work(transaction, code)) ? 'confirmed' : 'unknown';
  });
}

export type PollVerdict =
  | { readonly kind: 'granted'; readonly token: string; readonly expiresAt: Date }
  | { readonly kind: 'pending' | 'expired' }
  | { readonly kind: 'slow-down'; readonly interval: number };

/** What a device is told that asks for its token. The token is given out once. */
export async function pollDevice({ sql, clock, ids }: DeviceTools, deviceCode: string): Promise<PollVerdict> {
  const hash = hashToken(deviceCode);
  return await sql.begin(async (transaction): Promise<PollVerdict> => {
    const code = await lockDeviceCode(transaction, hash);
    const now = clock.now();
    if (code === null || code.expiresAt <= now) return { kind: 'expired' };
    const { userId, accountId, memberId, intervalSeconds, polledAt } = code;
    if (userId !== null && accountId !== null && memberId !== null) {
      await deleteDeviceCode(transaction, code.userCode);
      const seat = { accountId, memberId };
      const token = await beginSession(transaction, { clock, ids }, { userId, seat, kind: 'device', how: 'device' });
      return { kind: 'granted', token, expiresAt: endOfSession({ startedAt: now, seenAt: now }) };
    }
    const isEarly = polledAt !== null && now.getTime() - polledAt.getTime() + TOLERANCE_MS < intervalSeconds * 1_000;
    const interval = isEarly ? intervalSeconds + SLOWER_SECONDS : intervalSeconds;
    await noteDevicePoll(transaction, hash, interval, now);
    return isEarly ? { kind: 'slow-down', interval } : { kind: 'pending' };
  });
}
