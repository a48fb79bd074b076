import { type SQL, sql } from '../drizzle.ts';
import { recordColumns } from '../record-columns.ts';
import { narrowed, nullable, pg, returning } from '../result.ts';
import { quotaUsage } from '../schema/accounts.ts';
import { apiKeys } from '../schema/keys.ts';
import { sessions } from '../schema/sessions.ts';
import { type GivenOf, optional, value } from '../statement.ts';
import { IS_SUSPENDED } from './account-suspension.ts';
import { charge, failUnless, USAGE, usageAfter, WITH_OTHERS, wouldCharge } from './charge-quota.ts';
import { refuseItems } from './failed-items.ts';
import { BEYOND_SEND_LIMITS, sendLimits } from './insert-sends.ts';
import { DELIVERY, HELD_MESSAGE, MESSAGE, RECIPIENT, SHARED } from './message-lists.ts';

/** A key that the acceptance rules checked, in the version they checked, and the credential that the caller used. */
export const SENDER = {
  a: apiKeys.accountId,
  k: apiKeys.id,
  v: apiKeys.version,
  /** The user's session, which must still belong to this seat. */
  s: nullable(sessions.id),
  /** When the session, or the secret that was used, expires. A secret that ends for any other reason changes the key's version. */
  e: apiKeys.expiresAt,
};

/** The assumptions behind one account's part of a batch. The statement checks them again and writes nothing unless all are still true. */
export const CHARGE = {
  account_id: quotaUsage.accountId,
  /** Quota units; 0 if nothing leaves the installation. */
  units: quotaUsage.used,
  /** The sending domains that must be verified. */
  domains: narrowed<readonly string[]>(pg.textArray),
  /** How many keys the acceptance rules checked; 0 for mail of the installation itself. */
  judges: pg.int4,
};

/** Each list is one JSON text. `recipients` and `deliveries` are null if no message needs them. */
export const BATCH = {
  shared: value<string>(),
  messages: value<string>(),
  recipients: optional(value<string>()),
  deliveries: optional(value<string>()),
  charges: value<string>(),
  /** The keys that the acceptance rules checked; the statement rejects the batch if one has changed since. */
  senders: value<string>(),
  /** As text, so that it is formatted once for all its uses. */
  now: value<string>(),
  month: value<string>(),
  monthlyQuota: value<number>(),
  idempotencyHorizon: value<Date>(),
  sendCharges: optional(value<string>()),
};

/** When the statement charges the quota, whose row then stays locked until the commit. */
export type Charging =
  /** At once, so that all other sends of the account wait. */
  | 'first'
  /** Not at all: `chargeQuota` must follow in the same transaction. This only finds out early that the quota does not suffice. */
  | 'afterwards';

/** The parts of the statement that depend on the messages' initial status. */
interface Beginning {
  readonly message: Readonly<typeof MESSAGE>;
  /** Message columns that the recipient rows need too. */
  readonly carried: SQL;
  /** The status of the message and its recipients, and the type of its first event. */
  readonly status: SQL;
  /** The detail of the first event, with its column. */
  readonly detail: { readonly column: SQL; readonly value: SQL; readonly none: SQL };
}

const NOTHING = sql``;

/** All messages are queued. */
export const QUEUED: Beginning = {
  message: MESSAGE,
  carried: NOTHING,
  status: sql`'queued'`,
  detail: { column: NOTHING, value: NOTHING, none: NOTHING },
};

/** Some messages are held: they have no deliveries, and their first event says why. */
export const HELD: Beginning = {
  message: HELD_MESSAGE,
  carried: sql`, i.status`,
  status: sql`status`,
  detail: { column: sql`, detail`, value: sql`, detail`, none: sql`, NULL` },
};

/**
 * Writes a batch of accepted messages, all or nothing. If an item fails a rule, the statement writes nothing and reports which items failed
 * which rules. If the rule is about the account, it reports every item of the account that may have caused the failure.
 *
 * OFFSET 0 keeps the planner from turning index lookups into hash joins, which would read all suppressions or keys for one message.
 * @param bodies a list of rows: the position in the batch, the HTML, the text
 */
export function acceptBatch(
  given: GivenOf<typeof BATCH>,
  bodies: SQL,
  { message, carried, status, detail }: Beginning,
  charging: Charging,
) {
  const { now, month } = given;
  const limits = given.sendCharges === undefined ? NOTHING : sql`${sendLimits(given.sendCharges)},`;
  const beyondLimits = given.sendCharges === undefined ? NOTHING : sql`UNION ALL ${BEYOND_SEND_LIMITS}`;
  const listedRecipients =
    given.recipients === undefined
      ? NOTHING
      : sql`
    UNION ALL SELECT r.o, i.account_id, i.id, r.n, r.k, r.name, r.e, coalesce(r.f, r.e)${carried}
    FROM json_to_recordset(${given.recipients}::text::json) AS r (${columnsOf(RECIPIENT)})
    JOIN input i ON i.o = r.o`;
  const listedDeliveries =
    given.deliveries === undefined
      ? NOTHING
      : sql`
    UNION ALL SELECT i.account_id, d.id, i.id, d.r, coalesce(d.t, ''), d.n, coalesce(i.scheduled_at, ${now}), i.expires_at, d.b
    FROM json_to_recordset(${given.deliveries}::text::json) AS d (${columnsOf(DELIVERY)})
    JOIN input i ON i.o = d.o`;
  return returning(
    USAGE,
    sql`
  WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset(${given.messages}::text::json) AS m (${columnsOf(message)})
    JOIN json_to_recordset(${given.shared}::text::json) AS s (${columnsOf(SHARED)}) USING (g)
  ),
  recipients AS MATERIALIZED (
    SELECT o, account_id, id, 0 AS n, 'to' AS k, name, to_line AS e, coalesce(f, to_line) AS folded${carried}
    FROM input i WHERE listed IS NULL ${listedRecipients}
  ),
  keys AS (
    INSERT INTO idempotency_keys AS k (account_id, key_id, key, fingerprint, message_id, created_at)
    SELECT account_id, coalesce(asked_by, key_id), idempotency_key, fingerprint, id, coalesce(key_since, ${now}) FROM input
    WHERE idempotency_key IS NOT NULL ORDER BY account_id, coalesce(asked_by, key_id), idempotency_key
    ON CONFLICT (account_id, key_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, message_id = excluded.message_id, created_at = excluded.created_at
      WHERE k.created_at <= ${given.idempotencyHorizon}
    RETURNING message_id
  ),
  charges AS MATERIALIZED (
    SELECT c.account_id, c.units, c.domains, quota_of(a.monthly_quota, ${given.monthlyQuota}) AS quota,
      NOT ${IS_SUSPENDED} AND a.id IS NOT NULL AND (a.paused_at IS NULL OR c.judges = 0) AS open
    FROM json_to_recordset(${given.charges}::text::json) AS c (${columnsOf(CHARGE)})
    LEFT JOIN accounts a ON a.id = c.account_id
  ),
  charged AS (${charging === 'first' ? charge(month) : wouldCharge(month)}),
  ${limits}
  failed_accounts AS (
    SELECT account_id, NULL::uuid AS key, NULL::text AS domain, CASE WHEN open THEN 'quota' ELSE 'account' END AS rule FROM charges c
      WHERE NOT open OR (units > 0 AND NOT EXISTS (SELECT FROM charged x WHERE x.account_id = c.account_id))
    UNION ALL SELECT s.a, s.k, NULL::text, 'key'::text
      FROM json_to_recordset(${given.senders}::text::json) AS s (${columnsOf(SENDER)})
      WHERE s.e <= ${now} OR NOT EXISTS (
          SELECT FROM api_keys k WHERE k.account_id = s.a AND k.id = s.k AND k.version = s.v
            AND (k.expires_at IS NULL OR k.expires_at > ${now}) OFFSET 0)
        OR (s.s IS NOT NULL AND NOT EXISTS (
          SELECT FROM sessions x WHERE x.id = s.s AND x.account_id = s.a AND x.member_id = s.k OFFSET 0))
    UNION ALL SELECT c.account_id, NULL::uuid, d.name, 'domain'::text FROM charges c, unnest(c.domains) AS d (name)
      WHERE NOT EXISTS (SELECT FROM sending_domains v
        WHERE v.account_id = c.account_id AND v.name = d.name AND is_sendable(v.status) OFFSET 0)
  ),
  failed AS (
    SELECT i.o, f.rule FROM failed_accounts f JOIN input i ON i.account_id = f.account_id
      AND (f.key IS NULL OR i.key_id = f.key OR i.asked_by = f.key) AND (f.domain IS NULL OR i.from_domain = f.domain)
    UNION ALL SELECT o, 'idempotency'::text FROM input i
      WHERE idempotency_key IS NOT NULL AND NOT EXISTS (SELECT FROM keys k WHERE k.message_id = i.id)
    UNION ALL SELECT o, 'suppression'::text FROM recipients r WHERE EXISTS (SELECT FROM suppressions s
      WHERE s.account_id = r.account_id AND s.email = r.folded AND is_suppressing(s.expires_at, ${now}) OFFSET 0)
    ${beyondLimits}
  ),
  fresh AS MATERIALIZED (
    SELECT ${refuseItems(sql`failed`)} AS ok${charging === 'first' ? NOTHING : sql`, ${failUnless(WITH_OTHERS)}`}
  ),
  logged AS (
    INSERT INTO messages (account_id, id, key_id, asked_by, created_at, from_given, from_domain, to_line, reply_to, subject,
      status, channel, source, agent_name, tags, metadata, charged, event_count, scheduled_at, template, resend_of, unsubscribe)
    SELECT account_id, id, key_id, asked_by, ${now}, from_given, from_domain, to_line, reply_to, subject,
      ${status}, channel, source, agent_name, coalesce(tags, '{}'), coalesce(metadata, '{}'), charged,
      CASE WHEN scheduled_event_id IS NULL THEN 1 ELSE 2 END, scheduled_at, template, resend_of, coalesce(unsubscribe, false)
    FROM input
  ),
  stored AS (
    INSERT INTO message_bodies (account_id, message_id, html, text, headers)
    SELECT i.account_id, i.id, b.html, b.text, coalesce(i.headers, '{}')
    FROM input i JOIN (VALUES ${bodies}) AS b (o, html, text) ON b.o = i.o
  ),
  addressed AS (
    INSERT INTO message_recipients (account_id, message_id, ordinal, kind, name, email, status)
    SELECT account_id, id, n, k, name, e, ${status} FROM recipients
  ),
  begun AS (
    INSERT INTO message_events (account_id, message_id, seq, id, type, created_at${detail.column})
    SELECT account_id, id, 1, event_id, ${status}, ${now}::timestamptz${detail.value} FROM input
    UNION ALL SELECT account_id, id, 2, scheduled_event_id, 'scheduled', ${now}::timestamptz${detail.none} FROM input
    WHERE scheduled_event_id IS NOT NULL
  ),
  tracked AS (
    INSERT INTO message_tracking (account_id, message_id, open_pixel, links)
    SELECT account_id, id, open_pixel, links FROM input WHERE links IS NOT NULL
  ),
  planned AS (
    INSERT INTO deliveries (account_id, id, message_id, route, destination, ordinals, next_at, expires_at, bytes)
    SELECT account_id, d, id, r, coalesce(t, ''), '{0}', coalesce(scheduled_at, ${now}), expires_at, b
    FROM input WHERE d IS NOT NULL ${listedDeliveries}
  ),
  noted AS (
    INSERT INTO search_backlog (account_id, message_ids) SELECT account_id, array_agg(id) FROM input GROUP BY account_id
  )
  ${usageAfter(month)}`,
  );
}

function columnsOf(fields: Parameters<typeof recordColumns>[0]): SQL {
  return sql.raw(recordColumns(fields));
}
