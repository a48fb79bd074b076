import type { EmailEventData, EmailEventType } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { hasEventBacklog, type MessageEventRow, storeEvents, takeEventBacklog } from '../db/queries/webhook-events.ts';
import { toEventBody } from '../events/announce.ts';
import { withoutEmailContent } from '../events/without-content.ts';

/** Processed in one transaction. */
const BATCH = 500;

/** Creates account events from message events, one batch of the backlog. Returns how many were processed; 0 if there are none. */
export async function storeEmailEvents(sql: Sql, clock: Clock): Promise<number> {
  if (!(await hasEventBacklog(sql))) return 0;
  return await sql.begin(async (transaction) => {
    const rows = await takeEventBacklog(transaction, BATCH);
    if (rows === null) return 0;
    await storeEvents(transaction, rows.map(toStoredEvent), clock.now());
    return BATCH;
  });
}

/** The event has the id of the entry in the message's event log. */
function toStoredEvent(row: MessageEventRow) {
  const { accountId, id, occurredAt: createdAt } = row;
  const type: EmailEventType = `email.${row.type}`;
  return {
    accountId,
    id,
    type,
    body: toEventBody(id, type, createdAt, row.isWithheld ? withoutEmailContent(toData(row)) : toData(row)),
    endpointId: null,
    createdAt,
  };
}

function toData(row: MessageEventRow): EmailEventData {
  return {
    emailId: row.emailId,
    seq: row.seq,
    recipient: row.recipient,
    from: row.from,
    to: row.to,
    subject: row.subject,
    tags: [...row.tags],
    metadata: row.metadata,
    channel: row.channel,
    source: row.source,
    agentName: row.agentName,
    classification: row.classification,
    detail: row.detail,
    occurredAt: row.occurredAt.toISOString(),
  };
}
