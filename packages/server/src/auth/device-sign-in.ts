import { randomInt } from 'node:crypto';
import { LIMITS, scopesOfRole } from '@postrider/core';
import {
  deleteDeviceCode,
  insertDeviceCode,
  lockDeviceCode,
  lockSeatRole,
  recordDevicePoll,
} from '../db/queries/device-codes.ts';
import { endOfSession } from './session-lifetime.ts';
import { createSecret, hashToken } from './session-token.ts';
import { beginSession, type SignInTools } from './sign-in.ts';

type DeviceTools = Pick<SignInTools, 'sql' | 'clock' | 'ids'>;

/** Consonants that cannot be mistaken for each other or for digits and form no words (RFC 8628, section 6.1): 20^8 codes. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE_LETTERS = 8;
const MINUTE_MS = 60_000;
/** The polling interval grows by this after each `slow_down` (RFC 8628, section 3.5). */
const SLOWER_SECONDS = 5;
/** Allows for inexact timers and network delays. */
const TOLERANCE_MS = 500;

export interface StartedDevice {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly expiresIn: number;
  readonly interval: number;
}

/**
 * Creates the codes for a device that wants to sign in.
 * @param asker how the program describes itself, and the address it called from
 */
export async function startDevice(
  { sql, clock }: DeviceTools,
  asker: { readonly client: string; readonly address: string },
): Promise<StartedDevice> {
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + LIMITS.deviceCodeMinutes * MINUTE_MS);
  const { token: deviceCode, hash } = createSecret();
  const interval = LIMITS.deviceIntervalSeconds;
  for (;;) {
    const letters = Array.from({ length: USER_CODE_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
    if (await insertDeviceCode(sql, { hash, userCode, intervalSeconds: interval, ...asker, now, expiresAt })) {
      return { deviceCode, userCode, expiresIn: LIMITS.deviceCodeMinutes * 60, interval };
    }
  }
}

export type PollVerdict =
  | { readonly kind: 'granted'; readonly token: string; readonly expiresAt: Date }
  | { readonly kind: 'pending' | 'expired' }
  | { readonly kind: 'slow-down'; readonly interval: number };

/** Returns the state of a device's sign-in when it asks for its token. The token is issued once. */
export async function pollDevice({ sql, clock, ids }: DeviceTools, deviceCode: string): Promise<PollVerdict> {
  const hash = hashToken(deviceCode);
  return await sql.begin(async (transaction): Promise<PollVerdict> => {
    const code = await lockDeviceCode(transaction, hash);
    const now = clock.now();
    if (code === null || code.expiresAt <= now) return { kind: 'expired' };
    const { userId, accountId, memberId, intervalSeconds, polledAt } = code;
    if (userId !== null && accountId !== null && memberId !== null) {
      await deleteDeviceCode(transaction, code.userCode);
      // Locks the role, so that losing it at this moment also removes the permission.
      const role = await lockSeatRole(transaction, accountId, memberId);
      if (role === null) return { kind: 'expired' };
      const mayDecide = code.mayDecide && scopesOfRole(role).includes('approvals:decide');
      const token = await beginSession(
        transaction,
        { clock, ids },
        {
          ...{ userId, seat: { accountId, memberId }, kind: 'device', how: 'device' },
          mayDecide,
          from: { client: code.client, address: code.address },
        },
      );
      return { kind: 'granted', token, expiresAt: endOfSession({ startedAt: now, seenAt: now }) };
    }
    const isEarly = polledAt !== null && now.getTime() - polledAt.getTime() + TOLERANCE_MS < intervalSeconds * 1_000;
    const interval = isEarly ? intervalSeconds + SLOWER_SECONDS : intervalSeconds;
    await recordDevicePoll(transaction, hash, interval, now);
    return isEarly ? { kind: 'slow-down', interval } : { kind: 'pending' };
  });
}
