import type { TestApp } from '../../harness/test-app.ts';

/** What the rows are read for. */
interface Asked {
  /** The id of the key that calls. */
  readonly caller: string;
  /** Messages that are compared as a whole, as an array of PostgreSQL. */
  readonly own: string;
}

/** Everything of an account (`$1`) that a user decided, or that other senders' mail depends on. */
const PARTS = {
  account: () =>
    'SELECT name, track_opens, track_clicks, paused_at, suspended_at, monthly_quota, deletion_scheduled_at FROM accounts WHERE id = $1',
  /** When a key was used, and that its end was announced, are no one's decision. */
  keys: () =>
    `SELECT to_jsonb(k) - '{last_used_at,expiry_told_at}'::text[] AS key FROM api_keys k WHERE account_id = $1`,
  members: () => 'SELECT * FROM members WHERE account_id = $1',
  domains: () => 'SELECT id, name, status FROM sending_domains WHERE account_id = $1',
  suppressions: () => 'SELECT * FROM suppressions WHERE account_id = $1',
  endpoints: () =>
    'SELECT id, url, description, events, status, md5(secret::text) AS secret FROM webhook_endpoints WHERE account_id = $1',
  templates: () =>
    'SELECT id, slug, name, current_version FROM templates WHERE account_id = $1 AND current_version IS NOT NULL',
  versions: () =>
    `SELECT template_id, version, subject, html, text FROM template_versions WHERE account_id = $1 AND status = 'published'`,
  decisions: () => `SELECT id, status, decided_by FROM approvals WHERE account_id = $1 AND status <> 'pending'`,
  tickets: () => 'SELECT id FROM support_tickets WHERE account_id = $1',
  messages: ({ caller }: Asked) =>
    `SELECT id, scheduled_at, status = 'canceled' AS canceled FROM messages
     WHERE account_id = $1 AND coalesce(asked_by, key_id) <> '${caller}'`,
  outbound: () => `SELECT d.id, d.next_at FROM deliveries d WHERE d.account_id = $1 AND d.route = 'outbound'`,
  captured: () =>
    `SELECT id FROM captured_messages WHERE account_id = $1 AND recipients::text NOT LIKE '%@sandbox.test%'`,
  notices: () => 'SELECT count(*) FROM webhook_deliveries WHERE account_id = $1',
  own: ({ own }: Asked) =>
    `SELECT m.*, to_jsonb(h) - '{told_at,remind_at}'::text[] AS hold, to_jsonb(b) AS body,
       (SELECT jsonb_agg(r ORDER BY r.ordinal) FROM message_recipients r WHERE r.account_id = m.account_id AND r.message_id = m.id) AS recipients,
       (SELECT jsonb_agg(d ORDER BY d.id) FROM deliveries d WHERE d.account_id = m.account_id AND d.message_id = m.id) AS deliveries
     FROM messages m LEFT JOIN approvals h ON h.account_id = m.account_id AND h.message_id = m.id
     LEFT JOIN message_bodies b ON b.account_id = m.account_id AND b.message_id = m.id
     WHERE m.account_id = $1 AND m.id = ANY ('${own}'::uuid[])`,
} satisfies Readonly<Record<string, (asked: Asked) => string>>;

export type DecidedPart = keyof typeof PARTS;

export type DecidedState = Readonly<Record<DecidedPart, unknown>>;

/**
 * The rows of each part, in one order.
 * @param own ids of messages that are compared as a whole, with their holds, contents and deliveries
 */
export async function readDecidedState(
  { database: { sql } }: TestApp,
  accountId: string,
  caller: string,
  own: readonly string[] = [],
): Promise<DecidedState> {
  const asked = { caller, own: `{${own.join(',')}}` };
  const parts = Object.entries(PARTS).map(
    ([name, toQuery]) =>
      `(SELECT jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)::text) FROM (${toQuery(asked)}) AS t) AS "${name}"`,
  );
  const [row] = await sql.unsafe<DecidedState[]>(`SELECT ${parts.join(', ')}`, [accountId]);
  if (row === undefined) throw new Error('nothing was read');
  return row;
}

/** The parts that are not as they were. */
export function changedParts(
  before: DecidedState,
  after: DecidedState,
  keeps: 'everything' | readonly DecidedPart[],
): readonly DecidedPart[] {
  const names = keeps === 'everything' ? (Object.keys(PARTS) as DecidedPart[]) : keeps; // Object.keys widens to string.
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
