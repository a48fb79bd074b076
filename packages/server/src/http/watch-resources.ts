import type { Scope } from '@postrider/core';
import { parseResourceUri, type WatchResources } from '@postrider/mcp';
import type { WatchedUri } from '../events/resource-watcher.ts';
import type { Caller } from '../keys/caller.ts';
import { isStillAllowed } from '../keys/check-again.ts';
import { visibleKeyOf } from '../operations/approvals/visible-approvals.ts';
import type { Services } from '../operations/context.ts';

/** Watches resources for a key: it gets no notifications about what its scopes do not let it read. */
export function watchResourcesOf(
  caller: Caller,
  { database: { sql, clock }, events: { watcher } }: Pick<Services, 'database' | 'events'>,
): WatchResources {
  const { accountId, scopes } = caller;
  return async (uris) => {
    const readable = uris.flatMap((uri) => toReadable(uri, caller) ?? []);
    // Any of its scopes shows that the key is still valid, even if nothing else is visible to it.
    const needed = [...new Set([scopes[0], ...readable.map(({ scope }) => scope)])].filter((scope) => scope != null);
    const isAllowed = async () => {
      const verdicts = needed.map((scope) => isStillAllowed(sql, caller, scope, clock.now()));
      return (await Promise.all(verdicts)).every(Boolean);
    };
    return await watcher.open({ ownerId: accountId, watched: readable, isAllowed });
  };
}

/** What a URI names; null if the key may not read it. */
export function toReadable(uri: string, caller: Caller): (WatchedUri & { readonly scope: Scope | null }) | null {
  const { kind, id } = parseResourceUri(uri) ?? {};
  if (kind === undefined || id === undefined) return null;
  const { name, scope } = kind;
  if (scope !== null && !caller.scopes.includes(scope)) return null;
  const keyId = name === 'approvals' ? visibleKeyOf(caller) : null;
  // Reading one's own holds needs no scope, but reading those of other keys does: without that scope, their watches end.
  const needed = name === 'approvals' && keyId === null ? 'approvals:read' : scope;
  return { name: uri, scope: needed, kind: name, accountId: caller.accountId, id, keyId };
}
