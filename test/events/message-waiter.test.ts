import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSettled } from '../../packages/server/src/delivery/message-status.ts';
import { createMessageWaiter, type MessageWaiter } from '../../packages/server/src/events/message-waiter.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const NEVER = new AbortController().signal;
const PATIENCE_MS = 10_000;

/** Ends with the work, and fails where only patience ended it. */
async function beforePatienceEnds(work: Promise<void>): Promise<void> {
  const beganMs = performance.now();
  await work;
  expect(performance.now() - beganMs).toBeLessThan(PATIENCE_MS / 2);
}

describe('waiting for a message', () => {
  let database: TestDatabase;
  let waiter: MessageWaiter;
  beforeAll(async () => {
    database = await createTestDatabase();
    waiter = createMessageWaiter(database.sql, isSettled);
  });
  afterAll(() => database.drop());

  async function insertMessage(status: string): Promise<{ accountId: string; id: string }> {
    const { sql } = database;
    const accountId = randomUUID();
    const [row] = await sql<{ id: string }[]>`
      INSERT INTO messages (account_id, id, key_id, created_at, from_given, from_domain, to_line, subject, status, channel, source,
        tags, metadata, charged, event_count)
      VALUES (${accountId}, uuid_v7(now()), ${accountId}, now(), 'a@b.co', 'b.co', 'c@d.co', 's', ${status}, 'api', 'backend', '{}', '{}', 0, 1)
      RETURNING id`;
    return { accountId, id: row?.id ?? '' };
  }

  it('ends immediately when this process is notified', async () => {
    const { accountId, id } = await insertMessage('queued');
    const waiting = waiter.wait(accountId, id, PATIENCE_MS, NEVER);
    waiter.notify([{ id, status: 'sending' }]);
    waiter.notify([{ id: randomUUID(), status: 'delivered' }]);
    waiter.notify([{ id, status: 'delivered' }]);
    await beforePatienceEnds(waiting);
  });

  it('ends soon when another process wrote the news', async () => {
    const { accountId, id } = await insertMessage('queued');
    const waiting = waiter.wait(accountId, id, PATIENCE_MS, NEVER);
    await database.sql`UPDATE messages SET status = 'bounced' WHERE id = ${id}`;
    await beforePatienceEnds(waiting);
  });

  it('ends at the timeout, when the caller disconnects, and at shutdown', async () => {
    const { accountId, id } = await insertMessage('queued');
    await waiter.wait(accountId, id, 5, NEVER);
    const gone = new AbortController();
    const waiting = waiter.wait(accountId, id, PATIENCE_MS, gone.signal);
    gone.abort();
    await beforePatienceEnds(waiting);
    await beforePatienceEnds(waiter.wait(accountId, id, PATIENCE_MS, AbortSignal.abort()));
    const last = waiter.wait(accountId, id, PATIENCE_MS, NEVER);
    waiter.close();
    await beforePatienceEnds(last);
  });
});
