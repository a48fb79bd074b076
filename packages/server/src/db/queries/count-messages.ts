import type { Query, Sql, Transaction } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { executing, pg, returning } from '../result.ts';
import { messages } from '../schema/messages.ts';
import { messageRollups } from '../schema/statistics.ts';
import { defineStatement, value } from '../statement.ts';
import { ASKED_OF_TAKEN, rowsOfLists } from './rows-of-lists.ts';

/** The counters of a rollup, in the order of the bits in `message_counts.flags`. */
const COUNT_NAMES = [
  'sent',
  'delivered',
  'bounced',
  'complained',
  'hard',
  'soft',
  'block',
  'spam',
  'unknown',
  'open_tracked',
  'opened',
  'click_tracked',
  'clicked',
] as const;

/** Backlog rows per transaction. Each has the messages of one batch of outcomes: at most 200, or 500 in the first count. */
const BACKLOG_ROWS = 16;

const lookForBacklog = defineStatement({}, () =>
  returning({ exists: pg.bool }, sql`SELECT EXISTS (SELECT FROM count_backlog)`),
);

const tryCountingLock = defineStatement({}, () =>
  returning({ taken: pg.bool }, sql`SELECT pg_try_advisory_xact_lock(${COUNTING_LOCK}) AS taken`),
);

/** Waits until no other process is counting, then keeps others from counting until the end of the transaction. */
const takeCountingLock = defineStatement({}, () => executing(sql`SELECT FROM pg_advisory_xact_lock(${COUNTING_LOCK})`));

/** An arbitrary number that no other advisory lock uses. */
const COUNTING_LOCK = 7_205_759;

/**
 * Counts messages of the backlog and deletes its rows. Returns how many rows it took; 0 if none are left or another process is counting.
 * Only one process counts at a time: a message's previous flags must not change meanwhile, and others would only wait for the rollup rows
 * that all of an account's messages update.
 */
export async function countMessages(pool: Sql): Promise<number> {
  const [waiting] = await lookForBacklog(pool, {});
  if (waiting?.exists !== true) return 0;
  return await pool.begin(async (transaction) => {
    // A separate statement, so that the next one sees what the previous lock holder committed.
    const [lock] = await tryCountingLock(transaction, {});
    if (lock?.taken !== true) return 0;
    const [row] = await countBacklog(transaction, {});
    return row?.taken ?? 0;
  });
}

const readDays = defineStatement(
  { accountId: messages.accountId, firstDay: value<string>() },
  ({ accountId, firstDay }) =>
    returning(
      { day: pg.text },
      sql`
        WITH ends AS (
          SELECT (SELECT created_at FROM messages WHERE account_id = ${accountId} ORDER BY id LIMIT 1) AS first,
            (SELECT created_at FROM messages WHERE account_id = ${accountId} ORDER BY id DESC LIMIT 1) AS last
        )
        SELECT day::text FROM (
          SELECT generate_series((first AT TIME ZONE 'UTC')::date, (last AT TIME ZONE 'UTC')::date, interval '1 day')::date AS day FROM ends
          UNION SELECT day FROM message_rollups WHERE account_id = ${accountId}) AS known
        WHERE day >= ${firstDay}::date ORDER BY day`,
    ),
);

/** The days from `firstDay` on, `YYYY-MM-DD`, for which an account has messages or rollups. */
export async function readCountedDays(query: Query, accountId: string, firstDay: string): Promise<readonly string[]> {
  const rows = await readDays(query, { accountId, firstDay });
  return rows.map(({ day }) => day);
}

const OF_DAY = { accountId: messages.accountId, day: value<string>() };

const withoutTimeLimit = defineStatement({}, () => executing(sql`SET LOCAL statement_timeout = 0`));

const removeDay = defineStatement(OF_DAY, ({ accountId, day }) =>
  executing(sql`DELETE FROM message_rollups WHERE account_id = ${accountId} AND span = 1 AND day = ${day}::date`),
);

/** Replaces the rollups of one day by counting all messages that the account had accepted on it; returns how many it counted. */
export async function recountDay(pool: Sql, accountId: string, day: string): Promise<number> {
  return await pool.begin(async (transaction) => {
    await takeCountingLock(transaction, {});
    // A day with many messages takes long, and only the operator waits for it.
    await withoutTimeLimit(transaction, {});
    await removeDay(transaction, { accountId, day });
    await forgetDay(transaction, { accountId, day });
    const [row] = await countDay(transaction, { accountId, day });
    for (const span of [4, 16] as const) await addUpSpan(transaction, accountId, day, span);
    return row?.counted ?? 0;
  });
}

const OF_SPAN = { ...OF_DAY, span: messageRollups.span };

/** The first day of the span that contains a day. */
const firstDayOf = (day: SQL, span: SQL) => sql`(${day}::date - (${day}::date - DATE '1970-01-01') % ${span}::int)`;

const removeSpan = defineStatement(OF_SPAN, ({ accountId, day, span }) =>
  executing(
    sql`DELETE FROM message_rollups WHERE account_id = ${accountId} AND span = ${span} AND day = ${firstDayOf(day, span)}`,
  ),
);

const insertSpan = defineStatement(OF_SPAN, ({ accountId, day, span }) => {
  const first = firstDayOf(day, span);
  const sums = sql.raw(COUNT_NAMES.map((name) => `sum(${name})`).join(', '));
  return executing(sql`
    INSERT INTO message_rollups (account_id, kind, span, day, value, ${NUMBERS})
    SELECT account_id, kind, ${span}::int, ${first}, value, ${sums} FROM message_rollups
    WHERE account_id = ${accountId} AND kind IN ('tag', 'agent') AND span = 1 AND day >= ${first} AND day < ${first} + ${span}::int
    GROUP BY account_id, kind, value`);
});

/** Sums the daily rollups of a span. They include days whose messages are no longer in the log. */
async function addUpSpan(transaction: Transaction, accountId: string, day: string, span: 4 | 16): Promise<void> {
  await removeSpan(transaction, { accountId, day, span });
  await insertSpan(transaction, { accountId, day, span });
}

const removeBefore = defineStatement({ before: value<string>() }, ({ before }) =>
  executing(sql`DELETE FROM message_rollups WHERE day < ${before}::date`),
);

/** Deletes the rollups of days before `before`, `YYYY-MM-DD`. */
export async function removeRollups(query: Query, before: string): Promise<void> {
  await removeBefore(query, { before });
}

const bit = (name: (typeof COUNT_NAMES)[number], condition = 'true') =>
  `CASE WHEN ${condition} THEN ${1 << COUNT_NAMES.indexOf(name)} ELSE 0 END`;

const bits = (...values: readonly string[]) => values.join(' + ');

const has = (name: (typeof COUNT_NAMES)[number]) => `bits & ${1 << COUNT_NAMES.indexOf(name)} <> 0`;

const ALL_BITS = (1 << COUNT_NAMES.length) - 1;
const OPENED = 1 << COUNT_NAMES.indexOf('opened');
const CLICKED = 1 << COUNT_NAMES.indexOf('clicked');

/**
 * What each message counts for, and what it was counted for before. Each flag means "for at least one recipient". A complaint proves that
 * the message was delivered; a bounce after a delivery revokes it. A message that was never sent has no flags, so that no rate exceeds
 * 100%; it counts as sent once at least one recipient has a final result, even a rejection.
 *
 * Every table is read once for all messages, and its rows are grouped: reading it message by message takes three times as long.
 * @param rowsOf the rows `f` of a table for the messages in question, for the FROM clause
 */
const factsOf = (rowsOf: (table: string, id: string) => string) =>
  sql.raw(`
  SELECT account_id, id, day, channel, source, agent_name, tags, outbound, before,
    CASE WHEN ${has('sent')} THEN bits & (${ALL_BITS}
      - CASE WHEN ${has('open_tracked')} THEN 0 ELSE ${OPENED} END - CASE WHEN ${has('click_tracked')} THEN 0 ELSE ${CLICKED} END) ELSE 0 END AS flags
  FROM (
    SELECT account_id, id, max(day) AS day, max(channel) AS channel, max(source) AS source, max(agent_name) AS agent_name, max(tags) AS tags,
      bool_or(outbound) AS outbound, bit_or(bits) AS bits, max(before) AS before
    FROM (
      SELECT f.account_id, f.id, (f.created_at AT TIME ZONE 'UTC')::date AS day, f.channel, f.source, f.agent_name, f.tags,
        f.charged > 0 AS outbound, 0 AS bits, NULL::integer AS before
      FROM ${rowsOf('messages', 'id')}
      UNION ALL SELECT f.account_id, f.message_id, NULL, NULL, NULL, NULL, NULL, NULL, CASE
        WHEN f.status IN ('delivered', 'complained') THEN ${bits(bit('sent'), bit('delivered'))}
        WHEN f.status IN ('sent', 'bounced') THEN ${bit('sent')} ELSE 0 END, NULL
      FROM ${rowsOf('message_recipients', 'message_id')}
      UNION ALL SELECT f.account_id, f.message_id, NULL, NULL, NULL, NULL, NULL, NULL, CASE f.type
        WHEN 'bounced' THEN ${bits(
          bit('bounced'),
          bit('hard', "f.classification = 'hard'"),
          bit('soft', "f.classification = 'soft'"),
          bit('block', "f.classification = 'block'"),
          bit('spam', "f.classification = 'spam'"),
          bit('unknown', "coalesce(f.classification, 'unknown') = 'unknown'"),
        )}
        WHEN 'complained' THEN ${bits(bit('complained'), bit('spam'))}
        WHEN 'opened' THEN ${bit('opened')} WHEN 'clicked' THEN ${bit('clicked')} ELSE 0 END, NULL
      FROM ${rowsOf('message_events', 'message_id')}
      UNION ALL SELECT f.account_id, f.message_id, NULL, NULL, NULL, NULL, NULL, NULL,
        ${bits(bit('open_tracked', 'f.open_pixel'), bit('click_tracked', 'cardinality(f.links) > 0'))}, NULL
      FROM ${rowsOf('message_tracking', 'message_id')}
      UNION ALL SELECT f.account_id, f.message_id, NULL, NULL, NULL, NULL, NULL, NULL, 0, f.flags
      FROM ${rowsOf('message_counts', 'message_id')}) AS part
    GROUP BY account_id, id) AS message
  WHERE day IS NOT NULL`);

const FACTS_OF_LISTS = factsOf((table, id) => rowsOfLists(table, id, 'f'));

/** The rows of the messages in `changed`, which may be all messages of a day. */
const FACTS_OF_DAY = factsOf(
  (table, id) => `changed c JOIN ${table} f ON f.account_id = c.account_id AND f.${id} = c.message_id`,
);

const NUMBERS = sql.raw(COUNT_NAMES.join(', '));

/**
 * Adds the difference between a message's old and new flags to the rollups. `moved` contains only messages whose flags changed. Equal
 * changes are added up first, because each message counts in about ten rollups and most changes are equal.
 */
const ADD_UP = sql.raw(`
  summed AS (
    INSERT INTO message_rollups AS r (account_id, kind, span, day, value, ${COUNT_NAMES.join(', ')})
    SELECT account_id, kind, span, first_day, value,
      ${COUNT_NAMES.map((_, n) => `sum(n * ((flags >> ${n} & 1) - (before >> ${n} & 1)))`).join(', ')}
    FROM (
      SELECT account_id, day, channel, source, agent_name, tags, outbound, flags, before, count(*) AS n FROM moved
      GROUP BY account_id, day, channel, source, agent_name, tags, outbound, flags, before) AS alike
    CROSS JOIN LATERAL (
      VALUES ('all', 1, ''), ('channel', 1, channel), ('source', 1, source), (CASE WHEN outbound THEN 'outbound' END, 1, '')
      UNION ALL SELECT 'agent', span, agent_name FROM unnest(ARRAY[1, 4, 16]) AS span
      UNION ALL SELECT 'tag', span, tag FROM unnest(tags) AS tag, unnest(ARRAY[1, 4, 16]) AS span) AS k (kind, span, value)
    CROSS JOIN LATERAL (SELECT day - (day - DATE '1970-01-01') % span AS first_day) AS s
    WHERE kind IS NOT NULL AND value IS NOT NULL
    GROUP BY account_id, kind, span, first_day, value
    ON CONFLICT (account_id, kind, span, day, value) DO UPDATE
      SET ${COUNT_NAMES.map((name) => `${name} = r.${name} + excluded.${name}`).join(', ')}
  )`);

const countBacklog = defineStatement({}, () =>
  returning(
    { taken: pg.int4 },
    sql`
    WITH taken AS MATERIALIZED (
      DELETE FROM count_backlog WHERE ctid = ANY (ARRAY(SELECT ctid FROM count_backlog LIMIT ${BACKLOG_ROWS}::int FOR UPDATE SKIP LOCKED))
      RETURNING account_id, message_ids
    ),
    asked AS MATERIALIZED (${ASKED_OF_TAKEN}),
    facts AS MATERIALIZED (
      ${FACTS_OF_LISTS}
    ),
    -- Only the holder of the lock writes here, so a row that was not found does not exist.
    noted AS (
      INSERT INTO message_counts (account_id, message_id, flags) SELECT account_id, id, flags FROM facts WHERE before IS NULL AND flags <> 0
    ),
    changed AS (
      UPDATE message_counts k SET flags = f.flags FROM facts f
      WHERE k.account_id = f.account_id AND k.message_id = f.id AND f.flags <> f.before
    ),
    moved AS MATERIALIZED (
      SELECT account_id, day, channel, source, agent_name, tags, outbound, flags, coalesce(before, 0) AS before FROM facts
      WHERE flags <> coalesce(before, 0)
    ),
    ${ADD_UP}
    SELECT count(*)::int AS taken FROM taken`,
  ),
);

/**
 * Allows an hour on both sides: an id is created shortly before the recorded acceptance time, and the clock may have been adjusted in
 * between.
 */
const idsOfDay = (day: SQL, id: SQL) =>
  sql`${id} >= uuid_v7_lower_bound(${day}::date::timestamp AT TIME ZONE 'UTC' - interval '1 hour')
      AND ${id} < uuid_v7_lower_bound((${day}::date + 1)::timestamp AT TIME ZONE 'UTC' + interval '1 hour')`;

const messagesOfDay = (accountId: SQL, day: SQL) => sql`
    SELECT account_id, id AS message_id FROM messages
    WHERE account_id = ${accountId}::uuid AND ${idsOfDay(day, sql`id`)} AND (created_at AT TIME ZONE 'UTC')::date = ${day}::date`;

const forgetDay = defineStatement(OF_DAY, ({ accountId, day }) =>
  executing(sql`
    WITH gone AS (${messagesOfDay(accountId, day)})
    DELETE FROM message_counts k USING gone
    WHERE k.account_id = gone.account_id AND k.message_id = gone.message_id AND ${idsOfDay(day, sql`k.message_id`)}`),
);

const countDay = defineStatement(OF_DAY, ({ accountId, day }) =>
  returning(
    { counted: pg.int4 },
    sql`
      WITH changed AS MATERIALIZED (${messagesOfDay(accountId, day)}),
      moved AS MATERIALIZED (
        SELECT account_id, id, day, channel, source, agent_name, tags, outbound, flags, 0 AS before FROM (${FACTS_OF_DAY}) AS f
        WHERE flags <> 0
      ),
      kept AS (
        INSERT INTO message_counts (account_id, message_id, flags) SELECT account_id, id, flags FROM moved
      ),
      ${ADD_UP}
      SELECT count(*)::int AS counted FROM moved`,
  ),
);
