import type { Message, MessageRecord } from '@postrider/core';
import type { FullMessageRow, MessageRow } from '../../db/queries/read-messages.ts';

/** A row of the log as the API returns it. */
export function toMessageRecord(row: MessageRow): MessageRecord {
  return {
    id: row.id,
    from: row.from,
    to: row.to,
    subject: row.subject,
    status: row.status,
    channel: row.channel,
    source: row.source,
    agentName: row.agentName,
    tags: [...row.tags],
    createdAt: row.createdAt.toISOString(),
  };
}

/** One of the message's events. */
export function toMessageEvent(event: FullMessageRow['events'][number]): Message['events'][number] {
  return {
    id: event.id,
    seq: event.seq,
    type: event.type,
    createdAt: new Date(event.createdAt).toISOString(),
    recipient: event.recipient,
    classification: event.classification,
    detail: event.detail,
  };
}
