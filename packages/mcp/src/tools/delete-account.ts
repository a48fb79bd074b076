import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

const KEPT = 'Until then everything works; update_account with cancelDeletion keeps the account.';

export const deleteAccountTool = callingTool(findOperation('account.delete'), {
  structuredNotes: [KEPT],
  toText: ({ deletionScheduledAt }) => `The account is deleted at ${deletionScheduledAt}. ${KEPT}`,
});
