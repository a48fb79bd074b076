import type { Role } from '@postrider/core';
import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, type SQL } from '../drizzle.ts';
import { deviceCodes } from '../schema/sessions.ts';
import { members } from '../schema/users.ts';
import { defineStatement, type RowOf } from '../statement.ts';
import { isActive } from './users.ts';

const insert = defineStatement(
  {
    ...{ hash: deviceCodes.codeHash, userCode: deviceCodes.userCode, intervalSeconds: deviceCodes.intervalSeconds },
    /** `client` is what the program reported about itself. */
    ...{ client: deviceCodes.client, address: deviceCodes.address },
    ...{ now: deviceCodes.createdAt, expiresAt: deviceCodes.expiresAt },
  },
  ({ hash, now, ...code }) =>
    builder
      .insert(deviceCodes)
      .values({ ...code, codeHash: hash, createdAt: now })
      .onConflictDoNothing({ target: deviceCodes.userCode })
      .returning(named({ userCode: deviceCodes.userCode })),
);

/** Stores the codes of a device; returns false if the user code is already in use. */
export async function insertDeviceCode(query: Query, code: Parameters<typeof insert>[1]): Promise<boolean> {
  return (await insert(query, code)).length > 0;
}

function lockWhere(condition: SQL) {
  return builder
    .select(
      named({
        ...{ userCode: deviceCodes.userCode, intervalSeconds: deviceCodes.intervalSeconds },
        ...{ client: deviceCodes.client, address: deviceCodes.address },
        ...{ createdAt: deviceCodes.createdAt, expiresAt: deviceCodes.expiresAt, polledAt: deviceCodes.polledAt },
        /** Null until a user has confirmed the code. */
        ...{ userId: deviceCodes.userId, accountId: deviceCodes.accountId, memberId: deviceCodes.memberId },
        /** Whether the user permitted the device to decide held sends. */
        mayDecide: deviceCodes.mayDecide,
      }),
    )
    .from(deviceCodes)
    .where(condition)
    .for('update');
}

const lockByHash = defineStatement({ hash: deviceCodes.codeHash }, ({ hash }) =>
  lockWhere(eq(deviceCodes.codeHash, hash)),
);

export type DeviceCodeRow = RowOf<typeof lockByHash>;

/** Locks the row of the code that a device polls with; null if the code is unknown. */
export async function lockDeviceCode(query: Query, hash: Buffer): Promise<DeviceCodeRow | null> {
  const [row] = await lockByHash(query, { hash });
  return row ?? null;
}

const lockByUserCode = defineStatement({ userCode: deviceCodes.userCode }, ({ userCode }) =>
  lockWhere(eq(deviceCodes.userCode, userCode)),
);

/** Locks and returns the row of the code that the user typed. */
export async function lockUserCode(query: Query, userCode: string): Promise<DeviceCodeRow | null> {
  const [row] = await lockByUserCode(query, { userCode });
  return row ?? null;
}

const lockRole = defineStatement({ accountId: members.accountId, id: members.id }, ({ accountId, id }) =>
  builder
    .select(named({ role: members.role }))
    .from(members)
    .where(and(eq(members.accountId, accountId), eq(members.id, id), isActive))
    .for('share'),
);

/** Reads the role of a seat and locks it against changes until the end of the transaction; null if the seat was removed. */
export async function lockSeatRole(query: Query, accountId: string, memberId: string): Promise<Role | null> {
  const [seat] = await lockRole(query, { accountId, id: memberId });
  return seat?.role ?? null;
}

const confirm = defineStatement(
  {
    ...{ userCode: deviceCodes.userCode, userId: deviceCodes.userId, accountId: deviceCodes.accountId },
    ...{ memberId: deviceCodes.memberId, mayDecide: deviceCodes.mayDecide },
  },
  ({ userCode, ...consent }) => builder.update(deviceCodes).set(consent).where(eq(deviceCodes.userCode, userCode)),
);

export async function confirmDeviceCode(
  query: Query,
  userCode: string,
  consent: Omit<Parameters<typeof confirm>[1], 'userCode'>,
): Promise<void> {
  await confirm(query, { ...consent, userCode });
}

const notePoll = defineStatement(
  { hash: deviceCodes.codeHash, intervalSeconds: deviceCodes.intervalSeconds, now: deviceCodes.polledAt },
  ({ hash, intervalSeconds, now }) =>
    builder.update(deviceCodes).set({ polledAt: now, intervalSeconds }).where(eq(deviceCodes.codeHash, hash)),
);

/** Records the device's poll and the interval it must wait from now on. */
export async function recordDevicePoll(query: Query, hash: Buffer, intervalSeconds: number, now: Date): Promise<void> {
  await notePoll(query, { hash, intervalSeconds, now });
}

const remove = defineStatement({ userCode: deviceCodes.userCode }, ({ userCode }) =>
  builder.delete(deviceCodes).where(eq(deviceCodes.userCode, userCode)),
);

export async function deleteDeviceCode(query: Query, userCode: string): Promise<void> {
  await remove(query, { userCode });
}
