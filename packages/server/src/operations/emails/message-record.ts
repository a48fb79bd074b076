import type { Message, MessageRecord } from '@postrider/core';
import type { FullMessageRow, MessageRow } from '../../db/queries/read-messages.ts';

/** A row of the log as the API shows it. Status, channel and source were written from the enumerations the output names. */
export function toMessageRecord(row: MessageRow): MessageRecord {
  return {
    id: row.id,
    from: row.from,
    to: row.to,
    subject: row.subject,
    status: row.status as MessageRecord['status'],
    channel: row.channel as MessageRecord['channel'],
    source: row.source as MessageRecord['source'],
    agentName: row.agentName,
    tags: row.tags,
    createdAt: row.createdAt.toISOString(),
  };
}

/** An event of the trail; type and classification were written from the catalogues. */
export function toTrailEvent(event: FullMessageRow['events'][number]): Message['events'][number] {
  return {
    id: event.id,
    seq: event.seq,
    type: event.type as Message['events'][number]['type'],
    createdAt: new Date(event.createdAt).toISOString(),
    recipient: event.recipient,
    classification: event.classification as Message['events'][number]['classification'],
    detail: event.detail,
  };
}
