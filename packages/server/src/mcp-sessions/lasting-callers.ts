import type { Query } from '../db/client.ts';
import { readValidKeys } from '../db/queries/mcp-session-streams.ts';
import { findLasting } from '../db/queries/shown-credentials.ts';
import type { Caller } from '../keys/caller.ts';
import { hasLostGrantor, usableScopes } from '../usable-scopes.ts';

/**
 * For each caller, whether its key is still what it was: not revoked or expired, with the same secret and networks, and with every scope. A key
 * that was narrowed loses its streams too, and the client opens new ones with what it may still read. Two queries, however many callers.
 */
export async function findLastingCallers(
  query: Query,
  callers: readonly Caller[],
  now: Date,
): Promise<readonly boolean[]> {
  const nameOf = ({ accountId, keyId, shown }: Caller) =>
    `${accountId} ${keyId} ${shown === null ? '' : shown.kind === 'session' ? shown.id : shown.hash}`;
  const distinct = [...new Map(callers.map((caller) => [nameOf(caller), caller])).values()];
  if (distinct.length === 0) return [];
  const shown = distinct.flatMap((caller) =>
    caller.shown === null
      ? []
      : [{ accountId: caller.accountId, keyId: caller.keyId, shown: caller.shown, name: nameOf(caller) }],
  );
  const lasting = new Set(await findLasting(query, shown, now));
  const keys = await readValidKeys(query, distinct, now);
  const keyOf = new Map(keys.map((key) => [nameOf(distinct[key.index] as Caller), key])); // The statement returns places of the list.
  return callers.map((caller) => {
    const key = keyOf.get(nameOf(caller));
    if (key === undefined || hasLostGrantor(key) || (caller.shown !== null && !lasting.has(nameOf(caller))))
      return false;
    const scopes = usableScopes({ ...key, tokenScopes: caller.row.tokenScopes });
    return (
      String(key.ipAllowlist) === String(caller.ipAllowlist) && caller.scopes.every((scope) => scopes.includes(scope))
    );
  });
}
