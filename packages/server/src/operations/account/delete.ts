import { LIMITS } from '@postrider/core';
import { scheduleDeletion } from '../../accounts/schedule-deletion.ts';
import type { Handler } from '../context.ts';

export const deleteAccount: Handler<'account.delete'> = async (_input, { services, caller }) => {
  const at = await scheduleDeletion(services, caller.accountId, caller.keyId, LIMITS.deletionGraceDays);
  return { body: { deletionScheduledAt: at.toISOString() } };
};
