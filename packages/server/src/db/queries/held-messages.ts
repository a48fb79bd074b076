import { builder } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { executing, narrowed, nullable, pg, returning } from '../result.ts';
import { accounts, quotaUsage } from '../schema/accounts.ts';
import { approvals } from '../schema/approvals.ts';
import { deliveries } from '../schema/deliveries.ts';
import {
  type messageAttachments,
  messageBodies,
  messageEvents,
  messageRecipients,
  messages,
  messageTracking,
} from '../schema/messages.ts';
import { searchBacklog } from '../schema/search.ts';
import { defineStatement, type GivenOf, type RowOf, value } from '../statement.ts';

type Message = typeof messages.$inferSelect;
type Recipient = typeof messageRecipients.$inferSelect;

interface HeldFile extends Pick<typeof messageAttachments.$inferSelect, 'filename' | 'contentType' | 'contentId'> {
  /** Hexadecimal. */
  readonly digest: string;
}

const BODIES = {
  html: messageBodies.html,
  text: messageBodies.text,
  headers: narrowed<Readonly<Record<string, string>>>(pg.jsonb),
  /** The account's tracking settings. */
  trackOpens: accounts.trackOpens,
  trackClicks: accounts.trackClicks,
};

const readBodies = defineStatement({ accountId: approvals.accountId, id: approvals.id }, ({ accountId, id }) =>
  returning(
    BODIES,
    sql`
      SELECT b.html, b.text, coalesce(b.headers, '{}') AS headers, c.track_opens AS "trackOpens", c.track_clicks AS "trackClicks"
      FROM approvals h JOIN accounts c ON c.id = h.account_id
      JOIN message_bodies b ON b.account_id = h.account_id AND b.message_id = h.message_id
      WHERE h.account_id = ${accountId} AND h.id = ${id} AND h.status = 'pending'`,
  ),
);

/** The bodies of a held message, and what is needed to process its HTML. */
export type HeldBodies = RowOf<typeof readBodies>;

/** Reads the bodies of an undecided hold without locking; null if there is none with this id. */
export async function readHeldBodies(
  query: Query,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<HeldBodies | null> {
  const [row] = await readBodies(query, { accountId, id });
  return row ?? null;
}

const MESSAGE = { accountId: messages.accountId, messageId: messages.id };

type MessageName = Pick<Recipient, 'accountId' | 'messageId'>;

const lock = defineStatement(MESSAGE, ({ accountId, messageId }) =>
  returning(
    {
      ...BODIES,
      /** The key that issued the message. The hold belongs to the key that asked for it, which can be another one. */
      keyId: messages.keyId,
      status: messages.status,
      fromGiven: messages.fromGiven,
      fromDomain: messages.fromDomain,
      replyTo: messages.replyTo,
      subject: messages.subject,
      scheduledAt: messages.scheduledAt,
      unsubscribe: messages.unsubscribe,
      /** Quota units charged, and when: the charge is in the quota of that month. */
      charged: messages.charged,
      createdAt: messages.createdAt,
      html: nullable(messageBodies.html),
      text: nullable(messageBodies.text),
      /** Whether the message has a body at all: retention never deletes the body of a held message. */
      hasBody: pg.bool,
      recipients: narrowed<readonly Pick<Recipient, 'kind' | 'name' | 'email'>[]>(pg.json),
      attachments: narrowed<readonly HeldFile[]>(pg.json),
    },
    sql`
      SELECT m.key_id AS "keyId", m.status, m.from_given AS "fromGiven", m.from_domain AS "fromDomain", m.reply_to AS "replyTo", m.subject,
        m.scheduled_at AS "scheduledAt", m.unsubscribe, m.charged, m.created_at AS "createdAt", b.html, b.text,
        coalesce(b.headers, '{}') AS headers, b.message_id IS NOT NULL AS "hasBody", c.track_opens AS "trackOpens", c.track_clicks AS "trackClicks",
        (SELECT coalesce(json_agg(json_build_object('kind', r.kind, 'name', r.name, 'email', r.email) ORDER BY r.ordinal), '[]')
          FROM message_recipients r WHERE r.account_id = m.account_id AND r.message_id = m.id) AS recipients,
        (SELECT coalesce(json_agg(json_build_object('filename', a.filename, 'contentType', a.content_type, 'contentId', a.content_id,
            'digest', encode(sha256(a.content), 'hex')) ORDER BY a.ordinal), '[]')
          FROM message_attachments a WHERE a.account_id = m.account_id AND a.message_id = m.id) AS attachments
      FROM messages m JOIN accounts c ON c.id = m.account_id
      LEFT JOIN message_bodies b ON b.account_id = m.account_id AND b.message_id = m.id
      WHERE m.account_id = ${accountId} AND m.id = ${messageId} FOR UPDATE OF m`,
  ),
);

/** A held message with everything that is sent once it is approved. */
export type HeldMessage = RowOf<typeof lock>;

/** Locks and reads a held message; null if it no longer exists. */
export async function lockHeldMessage(
  transaction: Query,
  { accountId, messageId }: MessageName,
): Promise<HeldMessage | null> {
  const [row] = await lock(transaction, { accountId, messageId });
  return row ?? null;
}

const rewriteMessage = defineStatement(
  { ...MESSAGE, toLine: messages.toLine, subject: messages.subject, scheduledAt: messages.scheduledAt },
  ({ accountId, messageId, ...edited }) =>
    builder
      .update(messages)
      .set(edited)
      .where(and(eq(messages.accountId, accountId), eq(messages.id, messageId))),
);

const rewriteBody = defineStatement(
  { ...MESSAGE, html: messageBodies.html, text: messageBodies.text },
  ({ html, text, ...message }) => builder.update(messageBodies).set({ html, text }).where(isOf(messageBodies, message)),
);

const removeRecipients = defineStatement(MESSAGE, (message) =>
  builder.delete(messageRecipients).where(isOf(messageRecipients, message)),
);

const RECIPIENT = {
  ordinal: messageRecipients.ordinal,
  kind: messageRecipients.kind,
  name: messageRecipients.name,
  email: messageRecipients.email,
};

const insertRecipients = defineStatement(
  { ...MESSAGE, recipients: value<string>() },
  ({ accountId, messageId, recipients }) =>
    executing(sql`
      INSERT INTO message_recipients (account_id, message_id, ordinal, kind, name, email, status)
      SELECT ${accountId}, ${messageId}, r.ordinal, r.kind, r.name, r.email, 'pending_approval'
      FROM json_to_recordset(${recipients}::text::json) AS r (${sql.raw(recordColumns(RECIPIENT))})`),
);

const removeTracking = defineStatement(MESSAGE, (message) =>
  builder.delete(messageTracking).where(isOf(messageTracking, message)),
);

const insertTracking = defineStatement(
  { ...MESSAGE, openPixel: messageTracking.openPixel, links: messageTracking.links },
  (tracking) => builder.insert(messageTracking).values(tracking),
);

const askForIndexing = defineStatement(MESSAGE, ({ accountId, messageId }) =>
  builder.insert(searchBacklog).values({ accountId, messageIds: sql`ARRAY[${messageId}::uuid]` }),
);

function isOf(
  table: typeof messageBodies | typeof messageRecipients | typeof messageTracking,
  { accountId, messageId }: GivenOf<typeof MESSAGE>,
) {
  return and(eq(table.accountId, accountId), eq(table.messageId, messageId));
}

/** The message as an approver edited it. */
export interface MessageEdit
  extends Pick<Message, 'toLine' | 'subject' | 'scheduledAt'>,
    Pick<HeldBodies, 'html' | 'text'> {
  readonly recipients: readonly RecordOf<typeof RECIPIENT>[];
  /** Undefined keeps the planned tracking. */
  readonly tracking?: Pick<typeof messageTracking.$inferSelect, 'openPixel' | 'links'> | null;
}

/** Replaces a held message with its edited version and updates its search entry. */
export async function rewriteHeldMessage(
  transaction: Query,
  { accountId, messageId }: MessageName,
  edit: MessageEdit,
): Promise<void> {
  const message = { accountId, messageId };
  await rewriteMessage(transaction, { ...edit, ...message });
  await rewriteBody(transaction, { ...edit, ...message });
  await removeRecipients(transaction, message);
  await insertRecipients(transaction, { ...message, recipients: JSON.stringify(edit.recipients) });
  if (edit.tracking !== undefined) {
    await removeTracking(transaction, message);
    if (edit.tracking !== null) await insertTracking(transaction, { ...message, ...edit.tracking });
  }
  await askForIndexing(transaction, message);
}

const EVENT = { id: messageEvents.id, type: messageEvents.type, detail: messageEvents.detail };

const DELIVERY = {
  id: deliveries.id,
  route: deliveries.route,
  destination: deliveries.destination,
  ordinals: deliveries.ordinals,
};

const release = defineStatement(
  {
    ...MESSAGE,
    status: value<'queued' | 'failed'>(),
    lastError: messages.lastError,
    charged: messages.charged,
    eventCount: value<number>(),
    events: value<string>(),
    deliveries: value<string>(),
    dueAt: deliveries.nextAt,
    expiresAt: deliveries.expiresAt,
    now: messageEvents.createdAt,
  },
  ({ accountId, messageId, status, eventCount, ...given }) =>
    executing(sql`
      WITH shown AS (
        UPDATE messages SET status = ${status}, last_error = ${given.lastError}, charged = ${given.charged},
          event_count = event_count + ${eventCount}
        WHERE account_id = ${accountId} AND id = ${messageId} AND status = 'pending_approval' RETURNING event_count
      ),
      settled AS (
        UPDATE message_recipients SET status = ${status} WHERE account_id = ${accountId} AND message_id = ${messageId}
      ),
      events AS (
        INSERT INTO message_events (account_id, message_id, seq, id, type, detail, created_at)
        SELECT ${accountId}, ${messageId}, s.event_count - ${eventCount} + e.n, e.id, e.type, e.detail, ${given.now}
        FROM shown s, ROWS FROM (json_to_recordset(${given.events}::text::json) AS (${sql.raw(recordColumns(EVENT))}))
          WITH ORDINALITY AS e (id, type, detail, n)
      )
      INSERT INTO deliveries (account_id, id, message_id, route, destination, ordinals, next_at, expires_at)
      SELECT ${accountId}, d.id, ${messageId}, d.route, d.destination, d.ordinals, ${given.dueAt}, ${given.expiresAt}
      FROM shown, json_to_recordset(${given.deliveries}::text::json) AS d (${sql.raw(recordColumns(DELIVERY))})`),
);

export interface Release extends Pick<Message, 'lastError' | 'charged'> {
  readonly status: 'queued' | 'failed';
  readonly events: readonly RecordOf<typeof EVENT>[];
  readonly deliveries: readonly RecordOf<typeof DELIVERY>[];
  readonly dueAt: Date;
  /** When retries end. */
  readonly expiresAt: Date;
  readonly now: Date;
}

/** Queues an approved message or marks it as failed: updates its status and events, and creates its deliveries, which start the sending. */
export async function releaseHeldMessage(
  transaction: Query,
  { accountId, messageId }: MessageName,
  { events, deliveries: planned, ...released }: Release,
): Promise<void> {
  const written = { eventCount: events.length, events: JSON.stringify(events), deliveries: JSON.stringify(planned) };
  await release(transaction, { accountId, messageId, ...released, ...written });
}

const QUOTA = { accountId: quotaUsage.accountId, month: value<string>(), units: value<number>() };

const refund = defineStatement(QUOTA, ({ accountId, month, units }) =>
  executing(sql`
    UPDATE quota_usage SET used = greatest(0, used + ${units}) WHERE account_id = ${accountId} AND month = ${month}::date`),
);

const chargeMore = defineStatement({ ...QUOTA, limit: value<number>() }, ({ accountId, month, units, limit }) =>
  executing(sql`
    INSERT INTO quota_usage AS u (account_id, month, used)
    SELECT ${accountId}::uuid, ${month}::date, ${units}::integer WHERE ${units}::integer <= ${limit}::integer
    ON CONFLICT (account_id, month) DO UPDATE SET used = u.used + excluded.used WHERE u.used + excluded.used <= ${limit}::integer`),
);

/**
 * Charges an account for recipients that an approver added, or refunds those that an approver removed, in the month of acceptance. Returns
 * false if the quota is not sufficient.
 */
export async function adjustQuota(
  transaction: Query,
  charge: { readonly accountId: string; readonly month: string; readonly units: number; readonly limit: number },
): Promise<boolean> {
  if (charge.units === 0) return true;
  if (charge.units > 0) return (await chargeMore(transaction, charge)) > 0;
  await refund(transaction, charge);
  return true;
}
