import { expect } from 'vitest';
import type { TestApp, TestResponse } from '../harness/test-app.ts';

/** A key whose sends are held, and its id. */
export async function holdingKey(
  server: TestApp,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly key: string }> {
  const body = { name: 'Agent', scopes: ['full'], approvalMode: 'always', ...fields };
  const { body: made } = await server.call('POST', '/keys', { body });
  return { id: made.id, key: made.key };
}

/** A key that decides. */
export async function decidingKey(server: TestApp): Promise<string> {
  return await server.newKey({ name: 'Decider', scopes: ['approvals:decide', 'approvals:read', 'emails:read'] });
}

export async function decide(
  server: TestApp,
  key: string,
  approvalId: string,
  body: Readonly<Record<string, unknown>> = { decision: 'approve' },
): Promise<TestResponse> {
  return await server.call('POST', `/keys/approvals/${approvalId}`, { key, body });
}

/**
 * Waits until the server's own worker has notified the approvers of a hold. Until then it may store a link for each of them at any moment,
 * and reminders leave the hold out.
 */
export async function approversNotified({ database: { sql } }: TestApp, approvalId: string): Promise<void> {
  const notified = async () =>
    (await sql`SELECT FROM approvals WHERE id = ${approvalId} AND told_at IS NOT NULL`).length;
  await expect.poll(notified).toBe(1);
}

/** How much of this month's quota the account has used. */
export async function quotaUsed(server: TestApp): Promise<number> {
  return (await server.call('GET', '/keys/self')).body.quota.used;
}
