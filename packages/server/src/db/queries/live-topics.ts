import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { arraysOf, columnNames, toArrays, unnested } from '../record-columns.ts';
import { nullable, pg, returning } from '../result.ts';
import { messages } from '../schema/messages.ts';
import { defineStatement, type RowOf } from '../statement.ts';

/** What a page of an account may show. */
export type LiveKind =
  | 'approvals'
  | 'messages'
  | 'message'
  | 'domains'
  | 'webhooks'
  | 'templates'
  | 'tickets'
  | 'mailbox';

export interface LiveSubject {
  readonly kind: LiveKind;
  readonly accountId: string;
  /** For one message. */
  readonly messageId: string | null;
}

const WATCHED = { kind: pg.text, account_id: messages.accountId, message_id: nullable(messages.id) };

/** Changes with any of the values, and not with the order of the rows. */
const hashOf = (...values: readonly string[]) =>
  sql.raw(`count(*) || '.' || coalesce(sum(hashtextextended(concat_ws(' ', ${values.join(', ')}), 0)), 0)`);

/** What the first pages of the log show, the messages that still wait for an outcome, and the outcomes of all others, however old. */
const MESSAGES = sql`
  (SELECT ${hashOf('m.id', 'm.status', 'm.event_count')} FROM (
    SELECT id, status, event_count FROM messages WHERE account_id = w.account_id ORDER BY id DESC LIMIT 200) AS m)
  || ':' || (SELECT ${hashOf('m.id', 'm.event_count')} FROM unnest(ARRAY['queued', 'sending', 'deferred', 'pending_approval']) AS u (status)
    CROSS JOIN LATERAL (
      SELECT id, event_count FROM messages WHERE account_id = w.account_id AND status = u.status ORDER BY id DESC LIMIT 50) AS m)
  || ':' || (SELECT concat_ws('.', sum(r.sent), sum(r.delivered), sum(r.bounced), sum(r.complained), sum(r.opened), sum(r.clicked))
    FROM message_rollups r WHERE r.account_id = w.account_id AND r.kind = 'all' AND r.span = 1)`;

/** The newest holds, those that are pending, how many those are, and the approvals of those that several people must approve. */
const APPROVALS = sql`
  (SELECT ${hashOf('a.id', 'a.status', 'a.revision', 'a.outcome', 'a.decided_at')} FROM (
    SELECT * FROM approvals WHERE account_id = w.account_id ORDER BY id DESC LIMIT 200) AS a)
  || ':' || (SELECT ${hashOf('a.id', 'a.revision')} FROM (
    SELECT id, revision FROM approvals WHERE account_id = w.account_id AND status = 'pending' ORDER BY id DESC LIMIT 500) AS a)
  || ':' || (SELECT count(*) FROM (
    SELECT FROM approvals WHERE account_id = w.account_id AND status = 'pending' LIMIT 2000) AS a)
  || ':' || (SELECT ${hashOf('v.approval_id', 'v.member_id', 'v.created_at')} FROM (
    SELECT * FROM approval_votes WHERE account_id = w.account_id ORDER BY approval_id DESC LIMIT 500) AS v)`;

const DOMAINS = sql`
  (SELECT ${hashOf('d.id', 'd.status', 'd.status_since', 'd.status_reason', 'd.last_checked_at', 'd.checks')} FROM (
    SELECT * FROM sending_domains WHERE account_id = w.account_id ORDER BY id DESC LIMIT 200) AS d)
  || ':' || (SELECT ${hashOf('k.id', 'k.state')} FROM (
    SELECT id, state FROM dkim_keys WHERE account_id = w.account_id LIMIT 500) AS k)`;

/** The endpoints, and the last attempt of each. */
const WEBHOOKS = sql`
  (SELECT ${hashOf('e.id', 'e.status', 'e.revision', 'e.failures', 'e.previous_secret_ends_at', 'n.id')}
    FROM webhook_endpoints e
    LEFT JOIN LATERAL (
      SELECT a.id FROM webhook_attempts a WHERE a.account_id = e.account_id AND a.endpoint_id = e.id ORDER BY a.id DESC LIMIT 1) AS n ON true
    WHERE e.account_id = w.account_id)`;

const TEMPLATES = sql`
  (SELECT ${hashOf('t.id', 't.updated_at', 't.current_version', 't.last_version')} FROM (
    SELECT * FROM templates WHERE account_id = w.account_id ORDER BY id DESC LIMIT 1000) AS t)
  || ':' || (SELECT ${hashOf('v.template_id', 'v.version', 'v.draft_id')} FROM (
    SELECT * FROM template_versions WHERE account_id = w.account_id AND status = 'draft' LIMIT 500) AS v)`;

const TICKETS = sql`
  (SELECT ${hashOf('t.id', 't.status', 'n.seq')} FROM (
    SELECT * FROM support_tickets WHERE account_id = w.account_id ORDER BY id DESC LIMIT 100) AS t
    CROSS JOIN LATERAL (
      SELECT max(seq) AS seq FROM support_messages m WHERE m.account_id = t.account_id AND m.ticket_id = t.id) AS n)`;

/** Of every account: the page of captured mail, which exists in development only, shows all. */
const MAILBOX = sql`
  (SELECT ${hashOf('c.id')} FROM (SELECT id FROM captured_messages ORDER BY id DESC LIMIT 20) AS c)`;

const ONE_MESSAGE = sql`
  (SELECT m.status || ':' || m.event_count FROM messages m WHERE m.account_id = w.account_id AND m.id = w.message_id)`;

const STATES: Readonly<Record<LiveKind, SQL>> = {
  approvals: APPROVALS,
  messages: MESSAGES,
  message: ONE_MESSAGE,
  domains: DOMAINS,
  webhooks: WEBHOOKS,
  templates: TEMPLATES,
  tickets: TICKETS,
  mailbox: MAILBOX,
};

const read = defineStatement(arraysOf(WATCHED), (watched) =>
  returning(
    { index: pg.int4, state: nullable(pg.text) },
    sql`
      SELECT (w.place - 1)::int AS index, CASE w.kind ${sql.join(
        Object.entries(STATES).map(([kind, state]) => sql`WHEN ${sql.raw(`'${kind}'`)} THEN ${state}`),
        sql` `,
      )} END AS state
      FROM ${unnested(WATCHED, watched)} WITH ORDINALITY AS w (${columnNames(WATCHED)}, place)`,
  ),
);

/**
 * The current state of each list, as a string that changes when something in it does. One query serves all pages. Each state reads a
 * bounded number of rows by an index, and takes less than a millisecond however many messages there are.
 */
export async function readLiveStates(
  query: Query,
  subjects: readonly LiveSubject[],
): Promise<readonly RowOf<typeof read>[]> {
  const rows = subjects.map(({ kind, accountId, messageId }) => ({
    kind,
    account_id: accountId,
    message_id: messageId,
  }));
  return await read(query, toArrays(WATCHED, rows));
}
