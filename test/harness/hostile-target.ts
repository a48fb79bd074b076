import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { makeApprovalLink } from './approval-link.ts';
import type { HostileProcessReady } from './hostile-process.ts';
import type { HostileTarget } from './hostile-request.ts';
import type { TaggedSql } from './tagged.ts';
import { callApi } from './test-app.ts';

/** An account with tracking, and its keys, on the server under attack. */
export async function openHostileTarget(
  sql: TaggedSql,
  port: number,
  { smtpsPort }: HostileProcessReady,
): Promise<HostileTarget> {
  const tools = { sql, clock: systemClock, ids: createIdGenerator() };
  const { key } = await createAccount(tools, { name: 'Hostile', ownerEmail: 'ada@example.com' });
  await sql`UPDATE accounts SET track_opens = true, track_clicks = true`;
  const newKey = async (body: object): Promise<string> =>
    (await callApi(`http://127.0.0.1:${port}`, key, 'POST', '/keys', { body })).body.key;
  const rules = { approvalMode: 'policy', holdWhen: { linkDomainNotIn: ['example.com'] } };
  const heldKey = await newKey({ name: 'held', scopes: ['sending'], ...rules });
  const decidingKey = await newKey({ name: 'decider', scopes: ['approvals:read'] });
  // Only users can grant this scope.
  await sql`UPDATE api_keys SET scopes = scopes || '{approvals:decide}' WHERE name = 'decider'`;
  await sql`UPDATE api_keys SET rate_limit = 1000000`;
  return { port, smtpsPort, key, heldKey, decidingKey, makeLink: (approvalId) => makeApprovalLink(sql, approvalId) };
}
