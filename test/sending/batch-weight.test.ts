import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { createAcceptQueue } from '../../packages/server/src/sending/accept-queue.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { plainSend } from '../harness/plain-send.ts';
import { type TaggedPool, tagged } from '../harness/tagged.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** Of a send with a long HTML and a long text. */
const HALF = 'x'.repeat(900_000);

describe('what the accept queue writes together', () => {
  let server: TestApp;
  let sql: TaggedPool;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    sql = tagged(openDatabase({ target: server.database.target, maxConnections: 1, applicationName: 'tests' }));
  });
  afterAll(async () => {
    await sql.end();
    await server.close();
  });

  /** Sends that arrive together, and how many were written by each statement, which all have the same time. */
  async function writtenTogether(
    bodies: readonly { readonly text: string; readonly html?: string }[],
  ): Promise<readonly number[]> {
    let seconds = 0;
    const acceptQueue = createAcceptQueue({
      ...{ sql, batchSql: sql, filesSql: sql, ids: createIdGenerator() },
      ...{ sandboxDomain: 'sandbox.test', monthlyQuota: 1_000, onAccepted: () => undefined },
      clock: {
        now: () => {
          seconds += 1;
          return new Date(server.clock.now().getTime() + seconds * 1_000);
        },
      },
    });
    await server.database.sql`DELETE FROM messages`;
    const sender = { accountId: server.accountId, keyId: server.accountId };
    const mail = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello' };
    const verdicts = await Promise.all(
      bodies.map((body) => acceptQueue.accept(plainSend(sender, { ...mail, ...body }))),
    );
    expect(verdicts.map(({ kind }) => kind)).toEqual(bodies.map(() => 'accepted'));
    const rows = await server.database.sql<{ count: number }[]>`
      SELECT count(*)::int AS count FROM messages GROUP BY created_at ORDER BY created_at`;
    return rows.map(({ count }) => count);
  }

  it('is everything that waits, while it is small', async () => {
    expect(await writtenTogether(Array(5).fill({ text: 'Hi' }))).toEqual([5]);
  });

  it('is no more than about eight megabytes of text', async () => {
    const long = { html: HALF, text: HALF };
    expect(await writtenTogether([...Array(9).fill(long), { text: 'Hi' }])).toEqual([4, 4, 2]);
  });
});
