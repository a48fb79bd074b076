import type { Query } from '../client.ts';

/** What became of messages, as numbers of messages. */
export interface OutcomeCounts {
  readonly sent: number;
  readonly delivered: number;
  readonly bounced: number;
  readonly complained: number;
}

export interface WholeCounts extends OutcomeCounts {
  readonly hard: number;
  readonly soft: number;
  readonly block: number;
  readonly spam: number;
  readonly unknown: number;
  readonly openTracked: number;
  readonly opened: number;
  readonly clickTracked: number;
  readonly clicked: number;
}

export type StatsKind = 'tag' | 'channel' | 'source' | 'agent';

export interface StatsRow extends OutcomeCounts {
  readonly kind: StatsKind;
  readonly value: string;
}

interface Days {
  readonly from: string;
  readonly to: string;
}

/** The sums of an account over days, `YYYY-MM-DD`, both included. */
export async function readWholeCounts(query: Query, accountId: string, { from, to }: Days): Promise<WholeCounts> {
  const [row] = await query<WholeCounts[]>`
    SELECT ${outcomeSums(query)}, coalesce(sum(hard), 0)::int AS hard, coalesce(sum(soft), 0)::int AS soft,
      coalesce(sum(block), 0)::int AS block, coalesce(sum(spam), 0)::int AS spam, coalesce(sum(unknown), 0)::int AS unknown,
      coalesce(sum(open_tracked), 0)::int AS "openTracked", coalesce(sum(opened), 0)::int AS opened,
      coalesce(sum(click_tracked), 0)::int AS "clickTracked", coalesce(sum(clicked), 0)::int AS clicked
    FROM message_rollups WHERE account_id = ${accountId} AND kind = 'all' AND span = 1 AND day BETWEEN ${from}::date AND ${to}::date`;
  if (row === undefined) throw new Error('sums without a row');
  return row;
}

/** Roll-ups of so many days each, of a range of days. */
export interface Spans extends Days {
  readonly span: 1 | 4 | 16;
}

/** What is summed by its value; at most `limit` of it, those that sent most. */
export interface StatsQuestion {
  readonly kind: StatsKind;
  readonly spans: readonly Spans[];
  readonly limit?: number;
}

/** The sums of an account by tag, channel and so on, where something was sent. Most sent first. */
export async function readCountsByKind(
  query: Query,
  accountId: string,
  questions: readonly StatsQuestion[],
): Promise<readonly StatsRow[]> {
  if (questions.length === 0) return [];
  const all = unionAll(
    query,
    questions.map(({ kind, spans, limit }) => {
      const rows = unionAll(
        query,
        spans.map((span) => rowsOf(query, accountId, kind, span)),
      );
      return query`(SELECT ${kind}::text AS kind, value, ${outcomeSums(query)} FROM (${rows}) AS counted
        GROUP BY value HAVING sum(sent) > 0 ${limit === undefined ? query`` : query`ORDER BY sum(sent) DESC, value LIMIT ${limit}`})`;
    }),
  );
  return await query<StatsRow[]>`SELECT * FROM (${all}) AS counted ORDER BY sent DESC, value`;
}

function rowsOf(query: Query, accountId: string, kind: StatsKind, { span, from, to }: Spans) {
  return query`SELECT value, sent, delivered, bounced, complained FROM message_rollups
    WHERE account_id = ${accountId} AND kind = ${kind} AND span = ${span} AND day BETWEEN ${from}::date AND ${to}::date`;
}

function unionAll(query: Query, parts: readonly ReturnType<typeof rowsOf>[]) {
  return parts.reduce((joined, part) => query`${joined} UNION ALL ${part}`);
}

export interface VolumeRow extends OutcomeCounts {
  readonly date: string;
  readonly opened: number;
  readonly clicked: number;
}

/** An account's days that something is known of. */
export async function readVolume(query: Query, accountId: string, { from, to }: Days): Promise<readonly VolumeRow[]> {
  return await query<VolumeRow[]>`
    SELECT day::text AS date, sent, delivered, bounced, complained, opened, clicked FROM message_rollups
    WHERE account_id = ${accountId} AND kind = 'all' AND span = 1 AND day BETWEEN ${from}::date AND ${to}::date ORDER BY day`;
}

function outcomeSums(query: Query) {
  return query`coalesce(sum(sent), 0)::int AS sent, coalesce(sum(delivered), 0)::int AS delivered,
    coalesce(sum(bounced), 0)::int AS bounced, coalesce(sum(complained), 0)::int AS complained`;
}
