import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, type Column, eq, type SQL, sql } from '../drizzle.ts';
import { columnNames, unnested } from '../record-columns.ts';
import { narrowed, pg, returning } from '../result.ts';
import { messageRollups } from '../schema/statistics.ts';
import { defineStatement, type GivenOf, type RowOf, value } from '../statement.ts';

interface Days {
  readonly from: string;
  readonly to: string;
}

const OF_DAYS = { accountId: messageRollups.accountId, from: value<string>(), to: value<string>() };

/** Selects the daily rows for all mail of an account. */
function ofDays({ accountId, from, to }: GivenOf<typeof OF_DAYS>) {
  return and(
    eq(messageRollups.accountId, accountId),
    sql`${messageRollups.kind} = 'all' AND ${messageRollups.span} = 1`,
    sql`${messageRollups.day} BETWEEN ${from}::date AND ${to}::date`,
  );
}

function sumOf(column: Column) {
  return sql<number>`coalesce(sum(${column}), 0)::int`;
}

const readWhole = defineStatement(OF_DAYS, (given) => {
  const { sent, delivered, bounced, complained, hard, soft, block, spam, unknown } = messageRollups;
  const { openTracked, opened, clickTracked, clicked } = messageRollups;
  const sums = {
    ...{ sent: sumOf(sent), delivered: sumOf(delivered), bounced: sumOf(bounced), complained: sumOf(complained) },
    ...{ hard: sumOf(hard), soft: sumOf(soft), block: sumOf(block), spam: sumOf(spam), unknown: sumOf(unknown) },
    ...{ openTracked: sumOf(openTracked), opened: sumOf(opened) },
    ...{ clickTracked: sumOf(clickTracked), clicked: sumOf(clicked) },
  };
  return builder.select(named(sums)).from(messageRollups).where(ofDays(given));
});

export type WholeCounts = RowOf<typeof readWhole>;

/** Counts of messages by outcome. */
export type OutcomeCounts = Pick<WholeCounts, 'sent' | 'delivered' | 'bounced' | 'complained'>;

/** The sums of an account over days, `YYYY-MM-DD`, both included. */
export async function readWholeCounts(query: Query, accountId: string, { from, to }: Days): Promise<WholeCounts> {
  const [row] = await readWhole(query, { accountId, from, to });
  if (row === undefined) throw new Error('the sums have no row');
  return row;
}

export type StatsKind = 'tag' | 'channel' | 'source' | 'agent';

/** Roll-ups of this many days each, for a range of days. */
type Span = Days & { readonly span: 1 | 4 | 16 };

/** A range of days consists of spans of 16 days, with spans of 4 days and single days before and after them. */
const SPANS_MAX = 5;

const texts = value<readonly string[]>();

function defineByKind(asked: readonly ('tag' | 'provenance')[]) {
  return defineStatement(
    { ...OF_DAYS, spans: value<readonly number[]>(), froms: texts, tos: texts, limit: value<number>() },
    ({ accountId, from, to, spans, froms, tos, limit }) => {
      const partOf = (kind: SQL, span: SQL, days: SQL) => sql`
        SELECT value, sent, delivered, bounced, complained FROM message_rollups
        WHERE account_id = ${accountId} AND kind = ${kind} AND span = ${span} AND day BETWEEN ${days}`;
      /** Missing spans read nothing: the planner drops comparisons with null. */
      const inSpans = (kind: SQL) =>
        Array.from({ length: SPANS_MAX }, (_, index) => {
          const at = sql.raw(String(index + 1));
          const days = sql`(${froms}::text[])[${at}]::date AND (${tos}::text[])[${at}]::date`;
          return partOf(kind, sql`(${spans}::smallint[])[${at}]`, days);
        });
      const inDays = (kind: SQL) => [partOf(kind, sql`1`, sql`${from}::date AND ${to}::date`)];
      const sums = (kind: SQL, parts: readonly SQL[], most = sql``) => sql`
        (SELECT ${kind} AS kind, value, coalesce(sum(sent), 0)::int AS sent, coalesce(sum(delivered), 0)::int AS delivered,
            coalesce(sum(bounced), 0)::int AS bounced, coalesce(sum(complained), 0)::int AS complained
          FROM (${sql.join([...parts], sql` UNION ALL `)}) AS counted GROUP BY value HAVING sum(sent) > 0 ${most})`;
      const [tag, channel, source, agent] = [sql`'tag'`, sql`'channel'`, sql`'source'`, sql`'agent'`];
      const parts = {
        tag: [sums(tag, inSpans(tag))],
        provenance: [
          sums(channel, inDays(channel)),
          sums(source, inDays(source)),
          sums(agent, inSpans(agent), sql`ORDER BY sum(sent) DESC, value LIMIT ${limit}`),
        ],
      };
      const all = sql.join(
        asked.flatMap((kinds) => parts[kinds]),
        sql` UNION ALL `,
      );
      return returning(
        {
          ...{ kind: narrowed<StatsKind>(pg.text), value: messageRollups.value },
          ...{ sent: pg.int4, delivered: pg.int4, bounced: pg.int4, complained: pg.int4 },
        },
        sql`SELECT * FROM (${all}) AS counted ORDER BY sent DESC, value`,
      );
    },
  );
}

const readTags = defineByKind(['tag']);
const readProvenance = defineByKind(['provenance']);
const readBoth = defineByKind(['tag', 'provenance']);

export type StatsRow = RowOf<typeof readBoth>;

/** Days, and the same days as few roll-ups. `topAgents` limits the agents to those that sent most. */
export interface StatsQuestion {
  readonly days: Days;
  readonly spans: readonly Span[];
  readonly byTag: boolean;
  readonly provenance: boolean;
  readonly topAgents: number;
}

/** The sums of an account by tag, channel and so on, as far as something was sent, most sent first. */
export async function readCountsByKind(
  query: Query,
  accountId: string,
  { days, spans: parts, byTag, provenance, topAgents: limit }: StatsQuestion,
): Promise<readonly StatsRow[]> {
  if (!byTag && !provenance) return [];
  const read = byTag ? (provenance ? readBoth : readTags) : readProvenance;
  const { from, to } = days;
  const [spans, froms, tos] = [
    parts.map(({ span }) => span),
    parts.map((part) => part.from),
    parts.map((part) => part.to),
  ];
  return await read(query, { accountId, from, to, spans, froms, tos, limit });
}

const readDays = defineStatement(OF_DAYS, (given) => {
  const { day, sent, delivered, bounced, complained, opened, clicked } = messageRollups;
  return builder
    .select(named({ date: sql<string>`${day}::text`, sent, delivered, bounced, complained, opened, clicked }))
    .from(messageRollups)
    .where(ofDays(given))
    .orderBy(day);
});

export type VolumeRow = RowOf<typeof readDays>;

/** The days for which an account has data. */
export async function readVolume(query: Query, accountId: string, { from, to }: Days): Promise<readonly VolumeRow[]> {
  return await readDays(query, { accountId, from, to });
}

const { sent, delivered, bounced, complained, opened, clicked } = messageRollups;
const DAILY = { sent, delivered, bounced, complained, opened, clicked };

const SPAN = { span: messageRollups.span, first: pg.text, last: pg.text };

const readTop = defineStatement(
  {
    accountId: messageRollups.accountId,
    kind: value<StatsKind>(),
    ...{ spans: value<readonly number[]>(), froms: texts, tos: texts, limit: value<number>() },
  },
  ({ accountId, kind, spans, froms, tos, limit }) =>
    returning(
      { value: messageRollups.value },
      sql`
        SELECT r.value FROM ${unnested(SPAN, { span: spans, first: froms, last: tos })} AS s (${columnNames(SPAN)})
        CROSS JOIN LATERAL (
          SELECT x.value, x.sent FROM message_rollups x
          WHERE x.account_id = ${accountId} AND x.kind = ${kind} AND x.span = s.span
            AND x.day BETWEEN s.first::date AND s.last::date OFFSET 0) AS r
        GROUP BY r.value HAVING sum(r.sent) > 0 ORDER BY sum(r.sent) DESC, r.value LIMIT ${limit}`,
    ),
);

/** The tags, channels, sources or agents of an account that sent most, the largest first. */
export async function readTopValues(
  query: Query,
  accountId: string,
  { kind, spans: parts, limit }: { readonly kind: StatsKind; readonly spans: readonly Span[]; readonly limit: number },
): Promise<readonly string[]> {
  const spans = parts.map(({ span }) => span);
  const [froms, tos] = [parts.map(({ from }) => from), parts.map(({ to }) => to)];
  const rows = await readTop(query, { accountId, kind, spans, froms, tos, limit });
  return rows.map((row) => row.value);
}

/** The key has the day before the value, so each day of each value is a lookup of its own; a range would read every value. */
const readSeries = defineStatement({ ...OF_DAYS, kind: value<StatsKind>(), values: texts }, (given) =>
  returning(
    { date: pg.text, value: messageRollups.value, ...DAILY },
    sql`
      SELECT d.day::date::text AS date, r.value, r.sent, r.delivered, r.bounced, r.complained, r.opened, r.clicked
      FROM generate_series(${given.from}::timestamp, ${given.to}::timestamp, interval '1 day') AS d (day)
      CROSS JOIN ${unnested({ value: messageRollups.value }, { value: given.values })} AS v (value)
      CROSS JOIN LATERAL (
        SELECT * FROM message_rollups x
        WHERE x.account_id = ${given.accountId} AND x.kind = ${given.kind} AND x.span = 1 AND x.day = d.day::date
          AND x.value = v.value OFFSET 0) AS r`,
  ),
);

export type SeriesRow = RowOf<typeof readSeries>;

/** The days of these values for which an account has data. */
export async function readVolumeOf(
  query: Query,
  accountId: string,
  {
    days: { from, to },
    kind,
    values,
  }: { readonly days: Days; readonly kind: StatsKind; readonly values: readonly string[] },
): Promise<readonly SeriesRow[]> {
  return await readSeries(query, { accountId, from, to, kind, values });
}
