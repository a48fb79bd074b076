import type { RecipientKind } from '@postrider/core';
import type { Query } from '../client.ts';
import type { NewDelivery } from './insert-messages.ts';

/** A message that is held, with all that is sent of it once it is approved. */
export interface HeldMessage {
  /** The key it goes out under; a hold belongs to the key that asked for it, which may be another. */
  readonly keyId: string;
  readonly status: string;
  readonly fromGiven: string;
  readonly fromDomain: string;
  readonly replyTo: string | null;
  readonly subject: string;
  readonly scheduledAt: Date | null;
  readonly unsubscribe: boolean;
  /** Quota units it was charged, and when: the month they were taken from. */
  readonly charged: number;
  readonly createdAt: Date;
  readonly html: string | null;
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it has a body at all: retention never takes that of a held one. */
  readonly hasBody: boolean;
  /** The account's switches. */
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
  readonly recipients: readonly {
    readonly kind: RecipientKind;
    readonly name: string | null;
    readonly email: string;
  }[];
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    readonly contentId: string | null;
    readonly digest: string;
  }[];
}

/** The bodies of a held message, and what its HTML is read for. */
export type HeldBodies = Pick<HeldMessage, 'html' | 'text' | 'headers' | 'trackOpens' | 'trackClicks'>;

/** The bodies of an undecided hold, without locking anything; null where there is none of that id. */
export async function readHeldBodies(
  query: Query,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<HeldBodies | null> {
  const [row] = await query<HeldBodies[]>`
    SELECT b.html, b.text, coalesce(b.headers, '{}') AS headers, c.track_opens AS "trackOpens", c.track_clicks AS "trackClicks"
    FROM approvals h JOIN accounts c ON c.id = h.account_id
    JOIN message_bodies b ON b.account_id = h.account_id AND b.message_id = h.message_id
    WHERE h.account_id = ${accountId} AND h.id = ${id} AND h.status = 'pending'`;
  return row ?? null;
}

/** Locks a held message and reads it; null where it is gone. */
export async function lockHeldMessage(
  transaction: Query,
  { accountId, messageId }: { readonly accountId: string; readonly messageId: string },
): Promise<HeldMessage | null> {
  const [row] = await transaction<HeldMessage[]>`
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
    WHERE m.account_id = ${accountId} AND m.id = ${messageId} FOR UPDATE OF m`;
  return row ?? null;
}

interface MessageName {
  readonly accountId: string;
  readonly messageId: string;
}

/** What an approver made of a message. */
export interface MessageEdit {
  readonly toLine: string;
  readonly subject: string;
  readonly scheduledAt: Date | null;
  readonly html: string | null;
  readonly text: string | null;
  readonly recipients: readonly {
    readonly ordinal: number;
    readonly kind: string;
    readonly name: string | null;
    readonly email: string;
  }[];
  /** Undefined where it stays as it was planned. */
  readonly tracking?: { readonly openPixel: boolean; readonly links: readonly string[] } | null;
}

/** Writes the edited message in place of what was held, and has it found by what it says now. */
export async function rewriteHeldMessage(
  transaction: Query,
  { accountId, messageId }: MessageName,
  edit: MessageEdit,
): Promise<void> {
  await transaction`
    UPDATE messages SET to_line = ${edit.toLine}, subject = ${edit.subject}, scheduled_at = ${edit.scheduledAt}
    WHERE account_id = ${accountId} AND id = ${messageId}`;
  await transaction`
    UPDATE message_bodies SET html = ${edit.html}, text = ${edit.text} WHERE account_id = ${accountId} AND message_id = ${messageId}`;
  await transaction`DELETE FROM message_recipients WHERE account_id = ${accountId} AND message_id = ${messageId}`;
  await transaction`
    INSERT INTO message_recipients (account_id, message_id, ordinal, kind, name, email, status)
    SELECT ${accountId}, ${messageId}, r.ordinal, r.kind, r.name, r.email, 'pending_approval'
    FROM json_to_recordset(${JSON.stringify(edit.recipients)}::text::json) AS r (ordinal smallint, kind text, name text, email text)`;
  if (edit.tracking !== undefined) {
    await transaction`DELETE FROM message_tracking WHERE account_id = ${accountId} AND message_id = ${messageId}`;
    if (edit.tracking !== null) {
      await transaction`
        INSERT INTO message_tracking (account_id, message_id, open_pixel, links)
        VALUES (${accountId}, ${messageId}, ${edit.tracking.openPixel}, ${[...edit.tracking.links]})`;
    }
  }
  await transaction`INSERT INTO search_backlog (account_id, message_ids) VALUES (${accountId}, ARRAY[${messageId}::uuid])`;
}

/** What becomes of an approved message. */
export interface Release {
  readonly status: 'queued' | 'failed';
  readonly lastError: string | null;
  readonly charged: number;
  readonly events: readonly { readonly id: string; readonly type: string; readonly detail: string | null }[];
  readonly deliveries: readonly NewDelivery[];
  readonly dueAt: Date;
  /** When the retries end. */
  readonly expiresAt: Date;
  readonly now: Date;
}

/** Lets an approved message go, or marks it as failed: its status, its trail, and its deliveries, which are what makes it leave. */
export async function releaseHeldMessage(
  transaction: Query,
  { accountId, messageId }: MessageName,
  release: Release,
): Promise<void> {
  await transaction`
    WITH shown AS (
      UPDATE messages SET status = ${release.status}, last_error = ${release.lastError}, charged = ${release.charged},
        event_count = event_count + ${release.events.length}
      WHERE account_id = ${accountId} AND id = ${messageId} AND status = 'pending_approval' RETURNING event_count
    ),
    settled AS (
      UPDATE message_recipients SET status = ${release.status} WHERE account_id = ${accountId} AND message_id = ${messageId}
    ),
    told AS (
      INSERT INTO message_events (account_id, message_id, seq, id, type, detail, created_at)
      SELECT ${accountId}, ${messageId}, s.event_count - ${release.events.length} + e.n, e.id, e.type, e.detail, ${release.now}
      FROM shown s, ROWS FROM (json_to_recordset(${JSON.stringify(release.events)}::text::json) AS (id uuid, type text, detail text))
        WITH ORDINALITY AS e (id, type, detail, n)
    )
    INSERT INTO deliveries (account_id, id, message_id, route, destination, ordinals, next_at, expires_at)
    SELECT ${accountId}, d.id, ${messageId}, d.route, d.destination, d.ordinals, ${release.dueAt}, ${release.expiresAt}
    FROM shown, json_to_recordset(${JSON.stringify(release.deliveries)}::text::json)
      AS d (id uuid, route text, destination text, ordinals smallint[])`;
}

/**
 * Charges an account for recipients that an approver added, in the month the message was accepted in, or gives back what fewer ones cost.
 * False where the quota does not suffice.
 */
export async function adjustQuota(
  transaction: Query,
  charge: { readonly accountId: string; readonly month: string; readonly units: number; readonly limit: number },
): Promise<boolean> {
  const { accountId, month, units, limit } = charge;
  if (units === 0) return true;
  if (units < 0) {
    await transaction`
      UPDATE quota_usage SET used = greatest(0, used + ${units}) WHERE account_id = ${accountId} AND month = ${month}::date`;
    return true;
  }
  const rows = await transaction`
    INSERT INTO quota_usage AS u (account_id, month, used)
    SELECT ${accountId}::uuid, ${month}::date, ${units}::integer WHERE ${units}::integer <= ${limit}::integer
    ON CONFLICT (account_id, month) DO UPDATE SET used = u.used + excluded.used WHERE u.used + excluded.used <= ${limit}::integer
    RETURNING 1`;
  return rows.length > 0;
}
