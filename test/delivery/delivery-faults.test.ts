import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../packages/server/src/db/queries/claim-deliveries.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import type { TestDatabase } from '../harness/test-database.ts';

const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000';

describe('delivery despite faults', () => {
  const cleanUp = useCleanUps();

  async function start(...given: Parameters<typeof startTestApp>): Promise<TestApp> {
    const server = await startTestApp(...given);
    cleanUp(() => server.close());
    return server;
  }

  /** A folder that outlives the servers that use it. */
  async function newDataDir(): Promise<string> {
    const dataDir = await mkdtemp(join(tmpdir(), 'postrider-faults-'));
    cleanUp(() => rm(dataDir, { recursive: true, force: true }));
    return dataDir;
  }

  async function relay(): Promise<SmtpSink> {
    const sink = await startSmtpSink();
    cleanUp(() => sink.close());
    return sink;
  }

  const read = async (server: TestApp, id: string) => (await server.call('GET', `/emails/${id}`)).body;
  const eventsOf = ({ events }: { events: { type: string }[] }) => events.map(({ type }) => type);
  const until = { timeout: 10_000, interval: 10 };

  /** A message accepted, with the lease of a worker that is no more. */
  async function sendAndClaim(api: TestApp) {
    const { body } = await api.send({ to: 'ann@example.com' });
    const now = api.clock.now();
    const leaseId = randomUUID();
    const limits = { limit: 10, perAccount: 10, afterAccount: FIRST_ACCOUNT, maxAccounts: 10 };
    const lease = { leaseId, now, leaseUntil: new Date(now.getTime() + 60_000) };
    const [claim] = await claimDeliveries(api.database.sql, { ...lease, ...limits });
    return { id: body.id as string, leaseId, deliveryId: claim?.id ?? '' };
  }

  const worker = (database: TestDatabase, dataDir: string) =>
    startTestApp({ database, settings: { POSTRIDER_ROLES: 'worker', POSTRIDER_DATA_DIR: dataDir } });

  it('finds due mail behind any number of accounts whose mail is not due', async () => {
    const api = await start({ settings: { POSTRIDER_ROLES: 'api' } });
    const { sql } = api.database;
    await sql`
      INSERT INTO deliveries (account_id, id, message_id, route, ordinals, next_at, expires_at)
      SELECT lpad(n::text, 32, '0')::uuid, gen_random_uuid(), gen_random_uuid(), 'outbound', '{0}', ${api.clock.now()}::timestamptz
        + interval '1 hour', now() + interval '1 day' FROM generate_series(1, 500) AS n`;
    const { body } = await api.send();
    const now = api.clock.now();
    const claims = await claimDeliveries(sql, {
      ...{ leaseId: randomUUID(), now, leaseUntil: new Date(now.getTime() + 60_000) },
      ...{ limit: 100, perAccount: 10, afterAccount: FIRST_ACCOUNT, maxAccounts: 200 },
    });
    expect(claims.map(({ messageId }) => messageId)).toEqual([body.id]);
  });

  it('fails a message that can never be composed, with the reason', {
    tags: ['contract-messages.never-stuck'],
  }, async () => {
    const api = await start({ settings: { POSTRIDER_ROLES: 'api' } });
    const { body } = await api.send();
    await api.database.sql`UPDATE messages SET subject = E'Two\nlines'`;
    const delivering = await worker(api.database, await newDataDir());
    await delivering.pump();
    const settled = (await api.settled(body.id)).body;
    expect([settled.status, eventsOf(settled)]).toEqual(['failed', ['queued', 'failed']]);
    expect(settled.events[1].detail).toMatch(/^The message cannot be composed: header "Subject"/);
    await delivering.close();
  });

  it('retries when the message could not be signed, and sends it once it can be', async () => {
    const api = await start({ settings: { POSTRIDER_ROLES: 'api' } });
    const { sql } = api.database;
    const { body } = await api.send();
    const [key] = await sql<{ sealed: Uint8Array }[]>`SELECT private_key AS sealed FROM dkim_keys`;
    await sql`UPDATE dkim_keys SET private_key = ${Buffer.from('no key')}`;
    const delivering = await worker(api.database, await newDataDir());
    await delivering.pump();
    await expect.poll(async () => (await read(api, body.id)).status, until).toBe('deferred');
    expect((await read(api, body.id)).lastError).toContain('an internal error');
    await sql`UPDATE dkim_keys SET private_key = ${key?.sealed ?? Buffer.alloc(0)}`;
    delivering.clock.advance(31_000);
    await delivering.pump();
    expect((await api.settled(body.id)).body.status).toBe('delivered');
    await delivering.close();
  });

  it('drops the delivery of a message that was removed from the log', async () => {
    const api = await start({ settings: { POSTRIDER_ROLES: 'api' } });
    const { sql } = api.database;
    await api.send();
    await sql`DELETE FROM messages`;
    const delivering = await worker(api.database, await newDataDir());
    await delivering.pump();
    await expect.poll(async () => await sql`SELECT 1 FROM deliveries`, until).toHaveLength(0);
    expect(delivering.app.engine?.inFlight).toBe(0);
    await delivering.close();
  });

  it('stops in time while outcomes cannot be recorded, and its successor records them without a second copy', async () => {
    const sink = await relay();
    const dataDir = await newDataDir();
    const api = await start({ settings: { POSTRIDER_ROLES: 'api' } });
    const { sql } = api.database;
    const { body } = await api.send({ to: 'ann@example.com' });
    await sql`ALTER TABLE message_events RENAME TO hidden_events`;
    const settings = {
      POSTRIDER_ROLES: 'worker',
      POSTRIDER_DATA_DIR: dataDir,
      POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none`,
    };
    const first = await startTestApp({ database: api.database, settings });
    await first.pump();
    await sink.waitFor(1);
    const [journal = ''] = await readdir(join(dataDir, 'journal'));
    await expect.poll(async () => await readFile(join(dataDir, 'journal', journal), 'utf8'), until).toContain(body.id);
    const beganMs = performance.now();
    await first.app.engine?.stop(500);
    expect(performance.now() - beganMs).toBeLessThan(4_000);
    await first.close();
    await sql`ALTER TABLE hidden_events RENAME TO message_events`;
    // The process of a journal that is to be read has to be gone, and this one is still here.
    const gone = journal.replace(/^\d+\./, '999999.');
    await writeFile(join(dataDir, 'journal', gone), await readFile(join(dataDir, 'journal', journal)));
    const second = await startTestApp({ database: api.database, settings });
    second.clock.advance(120_000);
    await second.pump();
    await second.close();
    expect(eventsOf(await read(api, body.id))).toEqual(['queued', 'sent']);
    expect(sink.messages).toHaveLength(1);
  });

  it('starts with a deferral in the journal that is due in the meantime', async () => {
    const dataDir = await newDataDir();
    const api = await start({ settings: { POSTRIDER_ROLES: 'api' } });
    const { id, leaseId, deliveryId } = await sendAndClaim(api);
    const at = api.clock.now().toISOString();
    const event = { type: 'deferred', classification: null, detail: '451 Later' };
    const outcome = {
      ...{ accountId: api.accountId, deliveryId, messageId: id, leaseId, attempt: 1, at },
      recipients: [{ ordinal: 0, email: 'ann@example.com', change: 'deferred', events: [event] }],
      ...{ retryAt: at, recipientsInMessage: 1, lastError: '451 Later' },
    };
    await mkdir(join(dataDir, 'journal'));
    await writeFile(join(dataDir, 'journal', `999999.${leaseId}.00.journal`), `${JSON.stringify(outcome)}\n`);
    const delivering = await worker(api.database, dataDir);
    await delivering.pump();
    expect(eventsOf((await api.settled(id)).body)).toEqual(['queued', 'deferred', 'sent', 'delivered']);
    await delivering.close();
  });
});
