import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/server/src/clock.ts';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { createAcceptQueue } from '../../packages/server/src/sending/accept-queue.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type SubmissionApp, sendBySmtp, startSubmissionApp } from '../harness/submission-client.ts';
import { type TaggedPool, tagged } from '../harness/tagged.ts';
import { DEFAULT_SEND, type TestResponse } from '../harness/test-app.ts';

const BURST = 40;

describe('a burst of sends', { timeout: 60_000 }, () => {
  let server: SubmissionApp;
  let sql: TaggedPool;
  beforeAll(async () => {
    server = await startSubmissionApp({ settings: { POSTRIDER_ROLES: 'api,smtp' } });
    sql = tagged(openDatabase({ target: server.database.target, maxConnections: 2, applicationName: 'tests' }));
  });
  beforeEach(async () => {
    await server.database.sql`DELETE FROM messages`;
  });
  afterAll(async () => {
    await sql.end();
    await server.close();
  });

  /** Replaces the accept queue of the server with one in which this many sends can wait. */
  function makeRoom(items: number): void {
    const acceptQueue = createAcceptQueue({
      ...{ sql, batchSql: sql, filesSql: sql, ids: createIdGenerator(), clock: systemClock },
      ...{ sandboxDomain: 'sandbox.test', monthlyQuota: 1_000, onAccepted: () => undefined },
      room: { items, bytes: 1_000_000 },
    });
    Object.assign(server.app.services.sending, { acceptQueue });
  }

  async function countStored(): Promise<number> {
    const [row] = await server.database.sql<{ count: number }[]>`SELECT count(*)::int AS count FROM messages`;
    return row?.count ?? 0;
  }

  const burst = async (send: (index: number) => Promise<TestResponse>) =>
    await Promise.all(Array.from({ length: BURST }, (_, index) => send(index)));

  it('gets 202 or 503 with retry-after for each send, and each is stored once when the refused ones are retried', async () => {
    makeRoom(4);
    const post = (index: number) => server.send({}, { headers: { 'idempotency-key': `burst-${index}` } });
    let responses = await burst(post);
    const refused = responses.filter(({ status }) => status !== 202);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, headers, body } of refused) {
      expect(status).toBe(503);
      expect(body).toMatchObject({ code: 'unavailable', retryable: true });
      expect(headers.get('retry-after')).toBe('1');
    }
    expect(await countStored()).toBe(BURST - refused.length);
    while (responses.some(({ status }) => status === 503)) {
      responses = await Promise.all(
        responses.map((response, index) => (response.status === 503 ? post(index) : response)),
      );
    }
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(BURST);
    expect(await countStored()).toBe(BURST);
  });

  it('of one account leaves room for the sends of another', async () => {
    makeRoom(12);
    const { key } = await server.newAccount();
    let isOver = false;
    const flooding = Promise.all(
      Array.from({ length: BURST }, async () => {
        while (!isOver) await server.send();
      }),
    );
    const others = [];
    for (let count = 0; count < 20; count += 1) others.push(await server.send({}, { key }));
    isOver = true;
    await flooding;
    expect(others.map(({ status }) => status)).toEqual(Array(20).fill(202));
  });

  it('has each batch accepted or refused as a whole', async () => {
    makeRoom(4);
    const emails = Array(3).fill(DEFAULT_SEND);
    const responses = await burst(() => server.call('POST', '/emails/batch', { body: { emails } }));
    const accepted = responses.filter(({ status }) => status === 207);
    expect(accepted.every(({ body }) => body.accepted === 3)).toBe(true);
    const refused = responses.filter(({ status, headers }) => status === 503 && headers.get('retry-after') === '1');
    expect(refused.length).toBe(BURST - accepted.length);
    expect(refused.length).toBeGreaterThan(0);
    expect(await countStored()).toBe(accepted.length * 3);
  });

  it('over SMTP gets 451 while the queue is full, and stores nothing', async () => {
    const mail = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi' };
    makeRoom(0);
    const refused = await sendBySmtp(server, { key: server.key }, mail);
    expect(refused.reply).toMatch(/451[ -]4\.3\.0 unavailable: /);
    expect(await countStored()).toBe(0);
    makeRoom(4);
    expect((await sendBySmtp(server, { key: server.key }, mail)).id).not.toBeNull();
    expect(await countStored()).toBe(1);
  });
});
