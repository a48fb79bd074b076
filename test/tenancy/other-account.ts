import type { TestApp } from '../harness/test-app.ts';

/** An account with one of everything that has an id, all of it with MARK in it. */
export interface OtherAccount {
  readonly accountId: string;
  readonly key: string;
  /** By what a path names: every way to name it. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** All of its rows but those of the request log, as they are now. */
  fingerprint(): Promise<Readonly<Record<string, string>>>;
}

export const MARK = 'bravo';

/** Fills another account of a server whose role is `api` alone, so that nothing moves in it by itself. */
export async function fillOtherAccount(server: TestApp): Promise<OtherAccount> {
  const { sql } = server.database;
  const { accountId, key } = await server.newAccount(MARK);
  const create = async (path: string, body: Readonly<Record<string, unknown>>) => {
    const response = await server.call('POST', path, { key, body });
    if (response.status >= 300) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
    return response;
  };
  // Still queued, so that it could be canceled and moved.
  const sent = await create('/emails', {
    from: 'Bravo <bravo@sandbox.test>',
    ...{ to: 'delivered+bravo@sandbox.test', subject: MARK, text: MARK, tags: [MARK], scheduled_at: 'PT2H' },
  });
  const template = await create('/templates', { slug: MARK, name: MARK, subject: MARK, text: MARK });
  const ticket = await create('/support/tickets', { subject: MARK, body: MARK });
  const address = 'bravo@example.org';
  const suppression = await create('/suppressions', { email: address });
  await server.addDomain('bravo.example', accountId);
  await server.addDomain('bravo-removed.example', accountId);
  const domains = await server.call('GET', '/domains', { key });
  const idOf = (name: string): string =>
    domains.body.domains.find((domain: { readonly name: string }) => domain.name === name).id;
  await server.call('DELETE', `/domains/${idOf('bravo-removed.example')}`, { key });
  const { body: ownKey } = await server.call('GET', '/keys/self', { key });
  await server.app.services.requests.settle();
  const [member] = await sql<{ id: string }[]>`SELECT id FROM members WHERE account_id = ${accountId}`;
  const approvalId = await addApproval(server, accountId, ownKey.id, sent.body.id);
  const endpointId = await addEndpoint(server, accountId);
  return {
    accountId,
    key,
    names: {
      emails: [sent.body.id],
      keys: [ownKey.id],
      requests: [sent.headers.get('x-request-id') ?? ''],
      templates: [template.body.id, MARK],
      tickets: [ticket.body.id, String(ticket.body.number)],
      suppressions: [suppression.body.id, address],
      domains: [idOf('bravo.example'), idOf('bravo-removed.example')],
      team: [member?.id ?? ''],
      approvals: [approvalId],
      webhooks: [endpointId],
    },
    fingerprint: () => fingerprintOf(server, accountId),
  };
}

async function addApproval(server: TestApp, accountId: string, keyId: string, messageId: string): Promise<string> {
  const [row] = await server.database.sql<{ id: string }[]>`
    INSERT INTO approvals (account_id, id, message_id, key_id, status, reasons, content_hash, created_at, expires_at)
    VALUES (${accountId}, uuid_v7(now()), ${messageId}, ${keyId}, 'pending', '{always}', ${'0'.repeat(64)}, now(), now() + interval '1 day')
    RETURNING id`;
  return row?.id ?? '';
}

async function addEndpoint(server: TestApp, accountId: string): Promise<string> {
  const [row] = await server.database.sql<{ id: string }[]>`
    INSERT INTO webhook_endpoints (account_id, id, url, description, events, secret, created_at)
    VALUES (${accountId}, uuid_v7(now()), 'https://bravo.example/hook', ${MARK}, '{}', '\\x00', now()) RETURNING id`;
  return row?.id ?? '';
}

/** What every request changes, whatever it requests. */
const PASSING = ['request_log', 'key_rates'];

async function fingerprintOf(server: TestApp, accountId: string): Promise<Readonly<Record<string, string>>> {
  const { sql } = server.database;
  const tables = await sql<{ name: string; column: string }[]>`
    SELECT c.relname AS name, a.attname AS column FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
      AND (a.attname = 'account_id' OR (c.relname = 'accounts' AND a.attname = 'id'))
      AND NOT c.relname = ANY (${PASSING}::text[])
    ORDER BY 1`;
  const prints: Record<string, string> = {};
  for (const { name, column } of tables) {
    const [row] = await sql.unsafe<{ print: string | null }[]>(
      `SELECT string_agg(r, E'\\n' ORDER BY r) AS print FROM (
         SELECT (to_jsonb(t) - 'last_used_at')::text AS r FROM ${name} t WHERE ${column} = '${accountId}') AS rows`,
    );
    prints[name] = row?.print ?? '';
  }
  return prints;
}
