import { fillSearch } from '../../packages/server/src/db/queries/fill-search.ts';
import type { TaggedSql } from '../../test/harness/tagged.ts';

/** The account whose log is read. The other accounts make the tables realistic. */
export const READ_ACCOUNT = '00000000-0000-7000-8000-000000000001';
const ACCOUNTS = 5;
const DAYS = 90;
/** The account has five of every six messages. */
const OF_SIX = 5;

/** The values that the statement below generates, for the benchmarks that filter by them. */
export const VALUES = {
  domains: { common: 'shop.example.com', formerly: 'former.example.com', never: 'never.example.com' },
  tags: { common: 'order', rare: 'region-7', formerly: 'campaign', never: 'never' },
  agents: { one: 'agent-3', never: 'agent-99' },
} as const;

/** The number of messages of the account. */
export async function countDataSet(sql: TaggedSql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    SELECT count(*)::int AS count FROM messages WHERE account_id = ${READ_ACCOUNT}`;
  return row?.count ?? 0;
}

/**
 * Creates `count` messages of the account, and a fifth as many of others, spread over the last 90 days, and indexes them as the workers
 * would. Writes to the tables directly, because only reading is measured.
 */
export async function makeDataSet(sql: TaggedSql, count: number, onProgress: (text: string) => void): Promise<void> {
  const total = Math.ceil((count * 6) / OF_SIX);
  await sql`TRUNCATE messages, message_recipients, message_search, search_backlog, search_pairs, message_counts, message_rollups, count_backlog`;
  await sql`
    INSERT INTO accounts (id, name, created_at)
    SELECT ('00000000-0000-7000-8000-00000000000' || n)::uuid, 'Reads ' || n, now() FROM generate_series(1, ${ACCOUNTS}::int) AS n
    ON CONFLICT DO NOTHING`;
  await sql`SELECT ensure_message_partitions(now() - n * interval '1 month') FROM generate_series(0, 4) AS n`;
  await makeSearchPartitions(sql);
  onProgress(`writing ${total.toLocaleString('en-US')} messages`);
  await sql.unsafe(STATEMENT, [total]);
  onProgress('gathering statistics');
  await sql`VACUUM ANALYZE messages`;
  await sql`VACUUM ANALYZE message_recipients`;
  await index(sql, onProgress);
  await sql`VACUUM ANALYZE message_search`;
  await sql`CHECKPOINT`.catch(() => undefined); // Not every role may do this.
}

async function makeSearchPartitions(sql: TaggedSql): Promise<void> {
  const months = await sql<{ name: string; bound: string }[]>`
    SELECT 'message_search_' || right(relname, 7) AS name, pg_get_expr(relpartbound, oid) AS bound
    FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'messages'::regclass AND relname ~ '_\\d{4}_\\d\\d$'`;
  for (const { name, bound } of months) {
    await sql.unsafe(`CREATE TABLE IF NOT EXISTS ${name} PARTITION OF message_search ${bound}`);
  }
}

async function index(sql: TaggedSql, onProgress: (text: string) => void): Promise<void> {
  const began = performance.now();
  let rows = 0;
  const worker = async () => {
    for (let taken = await fillSearch(sql); taken > 0; taken = await fillSearch(sql)) {
      rows += taken;
      const messages = rows * BACKLOG_IDS;
      const perSecond = Math.round(messages / ((performance.now() - began) / 1_000));
      onProgress(
        `indexing: ${messages.toLocaleString('en-US')} messages, ${perSecond.toLocaleString('en-US')} a second`,
      );
    }
  };
  await Promise.all([worker(), worker()]);
}

/** The batch size of the accept queue. */
const BACKLOG_IDS = 100;

/** `h` and `g` are pseudorandom numbers, the same in every run. */
const STATEMENT = `
  WITH made AS MATERIALIZED (
    SELECT n, n::float8 / $1::int AS age, (hashint8(n) & 2147483647) AS h, (hashint8(n + 7777777) & 2147483647) AS g,
      ('00000000-0000-7000-8000-00000000000' || CASE WHEN n % 6 < ${OF_SIX} THEN 1 ELSE 2 + (n / 6) % ${ACCOUNTS - 1} END)::uuid AS account_id,
      date_trunc('milliseconds', now()) - interval '${DAYS} days' * (1 - n::float8 / $1::int) AS created_at
    FROM generate_series(1, $1::int) AS n
  ),
  described AS MATERIALIZED (
    SELECT *, (lpad(to_hex(floor(extract(epoch FROM created_at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0')
        || '8' || substr(md5(n::text), 1, 15))::uuid AS id,
      CASE WHEN age < 0.25 THEN '${VALUES.domains.formerly}'
        ELSE (ARRAY['${VALUES.domains.common}', 'mail.example.org', 'news.example.net'])[1 + (h / 11) % 3] END AS domain,
      (ARRAY['ada', 'grace', 'alan', 'edsger', 'barbara', 'donald', 'john', 'margaret', 'tim', 'radia'])[1 + (h / 13) % 10]
        || '.' || substr(md5((h % 400000)::text), 1, 6) || '@'
        || (ARRAY['gmail.com', 'outlook.com', 'yahoo.com', 'example.org', 'web.de', 'proton.me', 'icloud.com', 'corp' || g % 500 || '.com'])
          [1 + (h / 17) % 8] AS recipient,
      (ARRAY['Your order ' || h || ' has been received', 'Invoice ' || g || ' for October', 'Welcome to the shop, number ' || h % 10000,
        'Reset your password', 'Weekly digest ' || h % 90, 'Payment of ' || h % 1000 || ' EUR confirmed',
        'Shipment ' || g || ' is on its way'])[1 + (h / 19) % 7] AS subject,
      (ARRAY['backend', 'backend', 'backend', 'automation', 'agent'])[1 + (h / 7) % 5] AS source
    FROM made
  ),
  noted AS (
    INSERT INTO search_backlog (account_id, message_ids)
    SELECT account_id, array_agg(id) FROM (
      SELECT account_id, id, (row_number() OVER (PARTITION BY account_id ORDER BY id)) / ${BACKLOG_IDS} AS part FROM described) AS numbered
    GROUP BY account_id, part ORDER BY min(part)
  ),
  addressed AS (
    INSERT INTO message_recipients (account_id, message_id, ordinal, kind, email, status)
    SELECT account_id, id, 0, 'to', recipient, 'delivered' FROM described
  )
  INSERT INTO messages (account_id, id, key_id, created_at, from_given, from_domain, to_line, subject, status, channel, source, agent_name,
    tags, metadata, charged, event_count)
  SELECT account_id, id, account_id, created_at, 'Example Shop <orders@' || domain || '>', domain, recipient, subject,
    CASE WHEN g % 1000 < 930 THEN 'delivered' WHEN g % 1000 < 970 THEN 'bounced' WHEN g % 1000 < 980 THEN 'complained'
      WHEN g % 1000 < 998 THEN 'sent' ELSE 'failed' END,
    (ARRAY['api', 'api', 'api', 'api', 'sdk', 'sdk', 'mcp'])[1 + h % 7], source,
    CASE WHEN source = 'agent' THEN 'agent-' || (h / 31) % 40 END,
    CASE WHEN h % 3 = 0 THEN '{}'
      WHEN h % 3 = 1 THEN ARRAY[(ARRAY['${VALUES.tags.common}', 'invoice', 'welcome', 'reset', 'digest'])[1 + (h / 3) % 5]]
      ELSE ARRAY['${VALUES.tags.common}', 'region-' || g % 200] END
    || CASE WHEN age BETWEEN 0.3 AND 0.6 AND h % 2 = 0 THEN ARRAY['${VALUES.tags.formerly}'] ELSE '{}' END,
    '{}', 1, 2
  FROM described`;
