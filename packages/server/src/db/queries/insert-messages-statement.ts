/** Writes a batch of accepted messages, all or nothing. The places in comments are filled in by `insert-messages.ts`. */
export const STATEMENT = `
  WITH input AS MATERIALIZED (
    SELECT o, account_id, id, key_id, asked_by, from_given, from_domain, to_line, reply_to, subject, channel, source, agent_name,
      coalesce(tags, '{}') AS tags, coalesce(metadata, '{}') AS metadata, charged, coalesce(headers, '{}') AS headers,
      event_id, expires_at, idempotency_key, fingerprint, key_since, scheduled_at, scheduled_event_id, template, resend_of,
      coalesce(unsubscribe, false) AS unsubscribe, open_pixel, links/* hold reasons */
    FROM json_to_recordset($1::text::json) AS r (
      o integer, account_id uuid, id uuid, key_id uuid, asked_by uuid, from_given text, from_domain text, to_line text,
      reply_to text, subject text, channel text, source text, agent_name text, tags text[], metadata jsonb,
      charged integer, headers jsonb, event_id uuid, expires_at timestamptz, idempotency_key text, fingerprint text, key_since timestamptz,
      scheduled_at timestamptz, scheduled_event_id uuid, template text, resend_of uuid, unsubscribe boolean, open_pixel boolean, links text[]/* hold columns */)
  ),
  recipients AS MATERIALIZED (
    SELECT i.account_id, i.id, r.n, r.k, r.name, r.e, coalesce(r.f, r.e) AS folded/* hold reasons */
    FROM json_to_recordset($2::text::json) AS r (o integer, n smallint, k text, name text, e text, f text)
    JOIN input i ON i.o = r.o
  ),
  keys AS (
    INSERT INTO idempotency_keys AS k (account_id, key_id, key, fingerprint, message_id, created_at)
    SELECT account_id, coalesce(asked_by, key_id), idempotency_key, fingerprint, id, coalesce(key_since, $5) FROM input
    WHERE idempotency_key IS NOT NULL ORDER BY account_id, coalesce(asked_by, key_id), idempotency_key
    ON CONFLICT (account_id, key_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, message_id = excluded.message_id, created_at = excluded.created_at
      WHERE k.created_at <= $8
    RETURNING 1
  ),
  charges AS MATERIALIZED (
    SELECT c.account_id, c.units, c.domains, c.senders, coalesce(a.monthly_quota, $7::int) AS quota,
      a.suspended_at IS NULL AND a.reputation_level <> 'suspended' AND a.id IS NOT NULL
        AND (a.paused_at IS NULL OR json_array_length(c.senders) = 0) AS open
    FROM json_to_recordset($4::text::json) AS c (account_id uuid, units integer, domains text[], senders json)
    LEFT JOIN accounts a ON a.id = c.account_id
  ),
  charged AS (
    INSERT INTO quota_usage AS u (account_id, month, used)
    SELECT account_id, $6::date, units FROM charges WHERE units > 0 AND units <= quota ORDER BY account_id
    ON CONFLICT (account_id, month) DO UPDATE SET used = u.used + excluded.used
      WHERE u.used + excluded.used <= (SELECT c.quota FROM charges c WHERE c.account_id = excluded.account_id)
    RETURNING account_id, used
  ),
  /* send limits */
  fresh AS MATERIALIZED (
    SELECT refuse_stale_acceptance(
      EXISTS (SELECT FROM charges WHERE NOT open)
      /* or beyond them */
      OR EXISTS (SELECT FROM charges c, json_to_recordset(c.senders) AS s (k uuid, v integer, s uuid, e timestamptz)
        WHERE s.e <= $5 OR NOT EXISTS (
          SELECT FROM api_keys k WHERE k.account_id = c.account_id AND k.id = s.k AND k.version = s.v
            AND (k.expires_at IS NULL OR k.expires_at > $5))
        OR (s.s IS NOT NULL AND NOT EXISTS (
          SELECT FROM sessions x WHERE x.id = s.s AND x.account_id = c.account_id AND x.member_id = s.k)))
      OR (SELECT count(*) FROM keys) < (SELECT count(idempotency_key) FROM input)
      OR (SELECT count(*) FROM charged) < (SELECT count(*) FROM charges WHERE units > 0)
      OR EXISTS (SELECT FROM charges c, unnest(c.domains) AS wanted (domain) WHERE NOT EXISTS (
        SELECT FROM sending_domains d
        WHERE d.account_id = c.account_id AND d.name = wanted.domain AND is_sendable(d.status)))
      OR EXISTS (SELECT FROM recipients r, suppressions s
        WHERE s.account_id = r.account_id AND s.email = r.folded AND (s.expires_at IS NULL OR s.expires_at > $5))) AS ok
  ),
  logged AS (
    INSERT INTO messages (account_id, id, key_id, asked_by, created_at, from_given, from_domain, to_line, reply_to, subject,
      status, channel, source, agent_name, tags, metadata, charged, event_count, scheduled_at, template, resend_of, unsubscribe)
    SELECT account_id, id, key_id, asked_by, $5, from_given, from_domain, to_line, reply_to, subject,
      /* first status */, channel, source, agent_name, tags, metadata, charged, CASE WHEN scheduled_event_id IS NULL THEN 1 ELSE 2 END,
      scheduled_at, template, resend_of, unsubscribe
    FROM input
  ),
  stored AS (
    INSERT INTO message_bodies (account_id, message_id, html, text, headers)
    SELECT i.account_id, i.id, b.html, b.text, i.headers
    FROM input i JOIN (VALUES /* bodies */) AS b (o, html, text) ON b.o = i.o
  ),
  addressed AS (
    INSERT INTO message_recipients (account_id, message_id, ordinal, kind, name, email, status)
    SELECT account_id, id, n, k, name, e, /* first status */ FROM recipients
  ),
  begun AS (
    INSERT INTO message_events (account_id, message_id, seq, id, type, created_at/* of a hold */)
    SELECT account_id, id, 1, event_id, /* first status */, $5/* hold reasons */ FROM input
  ),
  timed AS (
    INSERT INTO message_events (account_id, message_id, seq, id, type, created_at)
    SELECT account_id, id, 2, scheduled_event_id, 'scheduled', $5 FROM input WHERE scheduled_event_id IS NOT NULL
  ),
  tracked AS (
    INSERT INTO message_tracking (account_id, message_id, open_pixel, links)
    SELECT account_id, id, open_pixel, links FROM input WHERE links IS NOT NULL
  ),
  planned AS (
    INSERT INTO deliveries (account_id, id, message_id, route, destination, ordinals, next_at, expires_at)
    SELECT i.account_id, d.id, i.id, d.r, coalesce(d.t, ''), d.n, coalesce(i.scheduled_at, $5), i.expires_at
    FROM json_to_recordset($3::text::json) AS d (o integer, id uuid, r text, t text, n smallint[])
    JOIN input i ON i.o = d.o
  ),
  noted AS (
    INSERT INTO search_backlog (account_id, message_ids) SELECT account_id, array_agg(id) FROM input GROUP BY account_id
  )
  SELECT c.account_id AS "accountId", c.quota AS limit, coalesce(x.used, u.used, 0) AS used
  FROM fresh, charges c
  LEFT JOIN charged x ON x.account_id = c.account_id
  LEFT JOIN quota_usage u ON u.account_id = c.account_id AND u.month = $6::date`;
