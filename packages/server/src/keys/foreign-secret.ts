import { seesWithoutSecret } from '@postrider/core';
import type { Query } from '../db/client.ts';
import type { KeyRow } from '../db/queries/api-keys.ts';
import { countApprovals } from '../db/queries/approvals.ts';
import { countMatches } from '../db/queries/search-messages.ts';
import { withUsableScopes } from '../usable-scopes.ts';

/**
 * Whether a new secret of the key would show the caller messages or held sends that it may not see: a key sees those of its own. A caller that
 * created the key has had its secret. A key without messages has nothing to show, unless its old secret keeps working and sends some.
 */
export async function showsMore(query: Query, caller: KeyRow, key: KeyRow, graceSeconds: number): Promise<boolean> {
  const { accountId, keyId } = key;
  if (caller.keyId === keyId || key.makers.includes(caller.keyId)) return false;
  const { scopes } = withUsableScopes(caller);
  if (seesWithoutSecret({ keyId: caller.keyId, scopes, isUser: caller.isSeat })) return false;
  if (graceSeconds > 0) return true;
  const sent = await countMatches(query, { ...ALL_MESSAGES, accountId, keyId }, 1);
  return sent > 0 || (await countApprovals(query, { accountId, keyId, status: null, cap: 1 })) > 0;
}

const ALL_MESSAGES = {
  ...{ blindOfKey: null, statuses: [], channel: null, source: null, agentName: null, domain: null, tags: [] },
  ...{ recipient: null, sender: null, text: null, from: null, to: null },
} as const;
