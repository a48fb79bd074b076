import type { TestApp } from '../../harness/test-app.ts';

/** Everything of an account that a person decided, or that other senders' mail depends on, as rows in one order. */
export async function readDecidedState(
  { database: { sql } }: TestApp,
  accountId: string,
  callerKeyId: string,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const rows = async (text: string) =>
    (await sql.unsafe(`SELECT to_jsonb(t) AS row FROM (${text}) AS t ORDER BY to_jsonb(t)::text`, [accountId])).map(
      ({ row }) => row,
    );
  return {
    account: await rows(
      `SELECT name, track_opens, track_clicks, paused_at, suspended_at, monthly_quota, deletion_scheduled_at FROM accounts WHERE id = $1`,
    ),
    keys: (await rows(`SELECT * FROM api_keys WHERE account_id = $1`)).map(withoutUse),
    members: await rows(`SELECT * FROM members WHERE account_id = $1`),
    domains: await rows(`SELECT id, name, status FROM sending_domains WHERE account_id = $1`),
    suppressions: await rows(`SELECT * FROM suppressions WHERE account_id = $1`),
    endpoints: await rows(
      `SELECT id, url, description, events, status, md5(secret::text) AS secret FROM webhook_endpoints WHERE account_id = $1`,
    ),
    templates: await rows(
      `SELECT id, slug, name, current_version FROM templates WHERE account_id = $1 AND current_version IS NOT NULL`,
    ),
    versions: await rows(
      `SELECT template_id, version, subject, html, text FROM template_versions WHERE account_id = $1 AND status = 'published'`,
    ),
    decisions: await rows(`SELECT id, status, decided_by FROM approvals WHERE account_id = $1 AND status <> 'pending'`),
    tickets: await rows(`SELECT id FROM support_tickets WHERE account_id = $1`),
    messages: await rows(
      `SELECT id, scheduled_at, status = 'canceled' AS canceled FROM messages
       WHERE account_id = $1 AND coalesce(asked_by, key_id) <> '${callerKeyId}'`,
    ),
    outbound: await rows(`SELECT d.id, d.next_at FROM deliveries d WHERE d.account_id = $1 AND d.route = 'outbound'`),
    captured: await rows(
      `SELECT id FROM captured_messages WHERE account_id = $1 AND recipients::text NOT LIKE '%@sandbox.test%'`,
    ),
    notices: await rows(`SELECT count(*) FROM webhook_deliveries WHERE account_id = $1`),
  };
}

/** When a key was used, and that its end was announced, are nobody's decision. */
function withoutUse(row: unknown): unknown {
  const { last_used_at: _used, expiry_told_at: _told, ...rest } = row as Readonly<Record<string, unknown>>;
  return rest;
}
