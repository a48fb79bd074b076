import type { Query } from '../client.ts';

/** One accepted message as it is written: the log row, the body, and the rows that hang on it. Names are the columns'. */
export interface NewMessage {
  readonly account_id: string;
  readonly id: string;
  readonly key_id: string;
  readonly created_at: string;
  readonly from_given: string;
  readonly from_domain: string;
  readonly to_line: string;
  readonly reply_to: string | null;
  readonly subject: string;
  readonly channel: string;
  readonly source: string;
  readonly agent_name: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly charged: number;
  readonly html: string | null;
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly event_id: string;
  readonly recipients: readonly NewRecipient[];
  readonly deliveries: readonly NewDelivery[];
  readonly idempotency_key: string | null;
  readonly fingerprint: string | null;
}

export interface NewRecipient {
  readonly ordinal: number;
  readonly kind: string;
  readonly name: string | null;
  readonly email: string;
}

export interface NewDelivery {
  readonly id: string;
  readonly route: string;
  readonly ordinals: readonly number[];
  readonly next_at: string;
  readonly expires_at: string;
}

export interface QuotaCharge {
  readonly account_id: string;
  readonly month: string;
  readonly units: number;
  readonly quota: number;
}

export interface InsertedMessages {
  readonly usage: readonly { readonly accountId: string; readonly used: number }[];
}

/**
 * Writes a batch of accepted messages in one statement, all or nothing: idempotency keys, the quota charge, messages, bodies, recipients,
 * first events and deliveries. Fails with SQLSTATE PR001, having written nothing, when a key was taken or a quota used up since the facts
 * were read; the caller reads them again and decides anew. The charge is conditional in the statement itself: no interleaving overdraws.
 */
export async function insertMessages(
  query: Query,
  messages: readonly NewMessage[],
  charges: readonly QuotaCharge[],
  idempotencyHorizon: Date,
): Promise<InsertedMessages> {
  const [row] = await query<{ usage: { accountId: string; used: number }[] }[]>`
    WITH input AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(messages)}::text::json) AS r (
        account_id uuid, id uuid, key_id uuid, created_at timestamptz, from_given text, from_domain text, to_line text,
        reply_to text, subject text, channel text, source text, agent_name text, tags text[], metadata jsonb,
        charged integer, html text, text text, headers jsonb, event_id uuid, recipients json, deliveries json,
        idempotency_key text, fingerprint text)
    ),
    keys AS (
      INSERT INTO idempotency_keys AS k (account_id, key, fingerprint, message_id, created_at)
      SELECT account_id, idempotency_key, fingerprint, id, created_at FROM input
      WHERE idempotency_key IS NOT NULL ORDER BY account_id, idempotency_key
      ON CONFLICT (account_id, key) DO UPDATE
        SET fingerprint = excluded.fingerprint, message_id = excluded.message_id, created_at = excluded.created_at
        WHERE k.created_at <= ${idempotencyHorizon}
      RETURNING 1
    ),
    charged AS (
      INSERT INTO quota_usage AS u (account_id, month, used)
      SELECT account_id, month, units
      FROM json_to_recordset(${JSON.stringify(charges)}::text::json) AS c (account_id uuid, month date, units integer, quota integer)
      ORDER BY account_id
      ON CONFLICT (account_id, month) DO UPDATE SET used = u.used + excluded.used
        WHERE u.used + excluded.used <= (
          SELECT c.quota FROM json_to_recordset(${JSON.stringify(charges)}::text::json) AS c (account_id uuid, quota integer)
          WHERE c.account_id = excluded.account_id)
      RETURNING account_id, used
    ),
    fresh AS MATERIALIZED (
      SELECT refuse_stale_acceptance(
        (SELECT count(*) FROM keys) < (SELECT count(idempotency_key) FROM input)
        OR (SELECT count(*) FROM charged) < ${charges.length}::int) AS ok
    ),
    logged AS (
      INSERT INTO messages (account_id, id, key_id, created_at, from_given, from_domain, to_line, reply_to, subject,
        status, channel, source, agent_name, tags, metadata, charged, event_count)
      SELECT account_id, id, key_id, created_at, from_given, from_domain, to_line, reply_to, subject,
        'queued', channel, source, agent_name, tags, metadata, charged, 1
      FROM input
    ),
    stored AS (
      INSERT INTO message_bodies (account_id, message_id, html, text, headers)
      SELECT account_id, id, html, text, headers FROM input
    ),
    addressed AS (
      INSERT INTO message_recipients (account_id, message_id, ordinal, kind, name, email, status)
      SELECT account_id, id, r.ordinal, r.kind, r.name, r.email, 'queued'
      FROM input, json_to_recordset(recipients) AS r (ordinal smallint, kind text, name text, email text)
    ),
    begun AS (
      INSERT INTO message_events (account_id, message_id, seq, id, type, created_at)
      SELECT account_id, id, 1, event_id, 'queued', created_at FROM input
    ),
    planned AS (
      INSERT INTO deliveries (account_id, id, message_id, route, ordinals, next_at, expires_at)
      SELECT account_id, d.id, i.id, d.route, d.ordinals, d.next_at, d.expires_at
      FROM input i, json_to_recordset(i.deliveries) AS d (
        id uuid, route text, ordinals smallint[], next_at timestamptz, expires_at timestamptz)
    )
    SELECT coalesce((SELECT json_agg(json_build_object('accountId', account_id, 'used', used)) FROM charged), '[]') AS usage
    FROM fresh`;
  return { usage: row?.usage ?? [] };
}
