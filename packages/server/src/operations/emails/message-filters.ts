import type { OperationById, OperationInput } from '@postrider/core';
import type { MessageFilters } from '../../db/queries/message-filters.ts';

type FilterQuery = Omit<OperationInput<OperationById<'emails.export'>>['query'], 'format'>;

/** The filters of a list or an export, for an account. */
export function toMessageFilters(query: FilterQuery, accountId: string): MessageFilters {
  return {
    accountId,
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
