import { findClientKeyAccount } from '../db/queries/access-tokens.ts';
import { findKeyById } from '../db/queries/api-keys.ts';
import { type KeyTools, revokeKey } from '../keys/manage-keys.ts';
import { isUuid } from '../uuid-v7.ts';

/** Ends the grant of a program that signed out, or whose code or refresh token was used twice: revokes its key. */
export async function endGrant(tools: KeyTools, keyId: string): Promise<void> {
  const accountId = isUuid(keyId) ? await findClientKeyAccount(tools.sql, keyId) : null;
  const key = accountId === null ? null : await findKeyById(tools.sql, accountId, keyId);
  if (key === null) return;
  await revokeKey(tools, key, keyId, { actor: keyId, way: 'rest', address: null, requestId: null });
}
