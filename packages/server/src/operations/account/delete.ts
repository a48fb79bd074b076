import { LIMITS } from '@postrider/core';
import { scheduleDeletion } from '../../accounts/schedule-deletion.ts';
import type { Handler } from '../context.ts';

export const deleteAccount: Handler<'account.delete'> = async (_input, { services: { database }, caller }) => {
  const at = await scheduleDeletion(database, caller.accountId, caller.keyId, LIMITS.deletionGraceDays);
  return { body: { deletionScheduledAt: at.toISOString() } };
};
