import { scopesOfRole } from '@postrider/core';
import type { Transaction } from '../db/client.ts';
import {
  confirmDeviceCode,
  type DeviceCodeRow,
  deleteDeviceCode,
  lockSeatRole,
  lockUserCode,
} from '../db/queries/device-codes.ts';
import type { User } from '../keys/caller.ts';
import type { AuthServices } from './auth-services.ts';

type ConsentTools = Pick<AuthServices, 'tools' | 'codeTries'>;

/** A code as a signed-in user typed it in a browser. */
export interface TypedCode {
  readonly typed: string;
  readonly user: User;
  /** The browser's IP address. */
  readonly address: string;
}

/** The pending sign-in as the page shows it. */
export type DeviceRequest = Pick<DeviceCodeRow, 'userCode' | 'client' | 'address' | 'createdAt' | 'expiresAt'>;

/** `unknown`: no device shows this code, or another user has already confirmed it. */
export type Refused = { readonly kind: 'unknown' | 'expired' };

/**
 * Finds the device that shows this code; changes nothing.
 * @throws ProblemError if too many codes were tried
 */
export async function findDeviceRequest(
  tools: ConsentTools,
  code: TypedCode,
): Promise<{ readonly kind: 'found'; readonly request: DeviceRequest } | Refused> {
  return await onTypedCode(tools, code, async (_transaction, request) => ({ kind: 'found', request }) as const);
}

/** `role`: the user's role cannot decide held sends, so a device of theirs cannot either. */
export type ConfirmVerdict =
  | { readonly kind: 'confirmed'; readonly mayDecide: boolean }
  | { readonly kind: 'role' }
  | Refused;

/**
 * Lets the device that shows this code act for the user. Only the first confirmation by the first user counts.
 * @param consent `approvals`: whether the device may decide held sends
 * @throws ProblemError if too many codes were tried
 */
export async function confirmDevice(
  tools: ConsentTools,
  consent: TypedCode & { readonly approvals: boolean; readonly accountId: string },
): Promise<ConfirmVerdict> {
  const { approvals: mayDecide, accountId, user } = consent;
  const { userId, memberId } = user;
  return await onTypedCode<ConfirmVerdict>(tools, consent, async (transaction, code) => {
    if (code.userId !== null) return { kind: 'confirmed', mayDecide: code.mayDecide };
    const role = await lockSeatRole(transaction, accountId, memberId);
    if (role === null) return { kind: 'unknown' };
    if (mayDecide && !scopesOfRole(role).includes('approvals:decide')) return { kind: 'role' };
    await confirmDeviceCode(transaction, code.userCode, { userId, accountId, memberId, mayDecide });
    return { kind: 'confirmed', mayDecide };
  });
}

/**
 * Denies a device, which makes its code invalid.
 * @throws ProblemError if too many codes were tried
 */
export async function denyDevice(tools: ConsentTools, code: TypedCode): Promise<{ readonly kind: 'denied' } | Refused> {
  return await onTypedCode(tools, code, async (transaction, { userCode }) => {
    await deleteDeviceCode(transaction, userCode);
    return { kind: 'denied' } as const;
  });
}

async function onTypedCode<Verdict>(
  { tools, codeTries }: ConsentTools,
  { typed, user: { userId }, address }: TypedCode,
  work: (transaction: Transaction, code: DeviceCodeRow) => Promise<Verdict>,
): Promise<Verdict | Refused> {
  await codeTries.assertTry({ userId, address });
  const { sql, clock } = tools;
  const result = await sql.begin(async (transaction): Promise<{ readonly verdict: Verdict | Refused }> => {
    const code = await lockUserCode(transaction, toUserCode(typed));
    if (code === null || (code.userId !== null && code.userId !== userId)) return { verdict: { kind: 'unknown' } };
    if (code.expiresAt <= clock.now()) return { verdict: { kind: 'expired' } };
    return { verdict: await work(transaction, code) };
  });
  return result.verdict;
}

/** Normalizes what a user typed to the stored form, ignoring case, hyphens and spaces. */
function toUserCode(typed: string): string {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
