import { maySee, type OperationById, type OperationInput } from '@postrider/core';
import type { MessageFilters } from '../../db/queries/message-filters.ts';
import type { Caller } from '../../keys/caller.ts';
import { viewerOf } from '../../visibility/viewer.ts';

type FilterQuery = Omit<OperationInput<OperationById<'emails.export'>>['query'], 'format'>;

/** The filters of a list or an export, for a caller: what it may not see does not match. */
export function toMessageFilters(
  query: FilterQuery,
  caller: Pick<Caller, 'accountId' | 'keyId' | 'scopes' | 'person'>,
): MessageFilters {
  const seesAll = maySee(viewerOf(caller), 'message.private', null);
  return {
    accountId: caller.accountId,
    blindOfKey: seesAll ? null : caller.keyId,
    status: query.status ?? null,
    channel: query.channel ?? null,
    source: query.source ?? null,
    agentName: query.agent_name ?? null,
    domain: query.domain ?? null,
    tags: query.tag ?? [],
    recipient: query.recipient ?? null,
    text: query.q ?? null,
    from: query.from ?? null,
    to: query.to ?? null,
  };
}
