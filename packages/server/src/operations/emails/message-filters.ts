import { maySee, type OperationById, type OperationInput } from '@postrider/core';
import type { MessageFilters } from '../../db/queries/message-filters.ts';
import type { Caller } from '../../keys/caller.ts';
import { viewerOf } from '../../visibility/viewer.ts';

type FilterQuery = Omit<OperationInput<OperationById<'emails.export'>>['query'], 'format'>;

/** No message was sent under it. */
const NO_KEY = '00000000-0000-0000-0000-000000000000';

/** The filters of a list or an export for a caller. Values the caller may not see do not match. */
export function toMessageFilters(
  query: FilterQuery,
  caller: Pick<Caller, 'accountId' | 'keyId' | 'scopes' | 'user'>,
): MessageFilters {
  const { status, channel, source, agent_name, key_id, domain, tag, recipient, sender, q, from, to, ...unread } = query;
  // Does not compile if a filter is declared but not read here, since it would be accepted and ignored.
  unread satisfies Record<string, never>;
  const viewer = viewerOf(caller);
  const seesAll = maySee(viewer, 'message.private', null);
  return {
    accountId: caller.accountId,
    blindOfKey: seesAll ? null : caller.keyId,
    statuses: status ?? [],
    channel: channel ?? null,
    source: source ?? null,
    agentName: agent_name ?? null,
    keyId: key_id === undefined || maySee(viewer, 'message.key', key_id) ? (key_id ?? null) : NO_KEY,
    domain: domain ?? null,
    tags: tag ?? [],
    recipient: recipient ?? null,
    sender: sender ?? null,
    text: q ?? null,
    from: from ?? null,
    to: to ?? null,
  };
}
