import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTasks } from '../../packages/server/src/jobs/tasks.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { NO_APPROVAL_JOBS } from '../harness/hand-made-engine.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const DAY_MS = 86_400_000;

describe('the jobs of the crontab', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  async function runTask(name: string): Promise<void> {
    const { engine } = server.app;
    if (engine === null) throw new Error('the app has no worker');
    const task = createTasks({
      sql: server.database.sql,
      clock: server.clock,
      ids: server.app.services.database.ids,
      engine,
      retention: server.config.retention,
      domains: server.app.services.domains.checker,
      monthlyQuota: server.config.monthlyQuota,
      watchdog: async () => {},
      approvals: NO_APPROVAL_JOBS,
      onError: (error) => {
        throw error;
      },
    })[name];
    if (task === undefined) throw new Error(`there is no task ${name}`);
    await task({}, undefined as never); // Ours look at neither payload nor helpers.
  }

  it('mail owners about a used quota, which no send has to compare', { tags: ['notices.kinds'] }, async () => {
    const { sql } = server.database;
    const month = `${server.clock.now().toISOString().slice(0, 7)}-01`;
    await sql`INSERT INTO quota_usage (account_id, month, used) VALUES (${server.accountId}, ${month}, ${server.config.monthlyQuota})`;
    await runTask('quota:announce');
    const subjects = async () =>
      (await readInstallationMail(server.database, { tag: 'quota' })).map(({ to, subject }) => [to, subject]);
    await expect.poll(subjects).toEqual([['owner@sandbox.test', 'The monthly quota is used up: Acme']]);
    await sql`DELETE FROM quota_usage`;
  });

  it('keep the request log for 30 days, and remove what is older', {
    tags: ['contract-shape.request-log-retention'],
  }, async () => {
    await server.call('GET', '/emails', { headers: { 'x-request-id': 'old' } });
    const logged = async () => (await server.call('GET', '/requests/old')).status;
    await expect.poll(logged, { timeout: 5_000, interval: 20 }).toBe(200);
    const stored = () => server.database.sql`SELECT 1 FROM request_log WHERE request_id = 'old'`;
    server.clock.advance(30 * DAY_MS - 60_000);
    await runTask('retention:purge');
    expect([await logged(), (await stored()).length]).toEqual([200, 1]);
    server.clock.advance(120_000);
    expectProblem(await server.call('GET', '/requests/old'), 404, 'not_found');
    await runTask('retention:purge');
    expect(await stored()).toHaveLength(0);
  });

  it('remove idempotency keys after 24 hours and captured mail after a week, and nothing younger', async () => {
    const { sql } = server.database;
    const add = async (ageMs: number) => {
      const at = new Date(server.clock.now().getTime() - ageMs);
      const id = randomUUID();
      await sql`INSERT INTO idempotency_keys (account_id, key_id, key, fingerprint, message_id, created_at) VALUES (${id}, ${id}, ${`${ageMs}`}, 'f', ${id}, ${at})`;
      await sql`
        INSERT INTO captured_messages (account_id, id, mail_from, recipients, subject, raw, received_at)
        VALUES (${id}, ${id}, 'a@b.co', '{}', ${`${ageMs}`}, '', ${at})`;
    };
    for (const age of [DAY_MS - 60_000, DAY_MS + 60_000, 7 * DAY_MS - 60_000, 7 * DAY_MS + 60_000]) await add(age);
    await runTask('retention:purge');
    expect(await sql`SELECT key FROM idempotency_keys`).toHaveLength(1);
    expect(await sql`SELECT id FROM captured_messages`).toHaveLength(3);
  });

  it('remove any amount of old rows in batches that no time limit interrupts', async () => {
    const { sql } = server.database;
    const at = new Date(server.clock.now().getTime() - 40 * DAY_MS);
    const id = randomUUID();
    await sql`
      INSERT INTO idempotency_keys (account_id, key_id, key, fingerprint, message_id, created_at)
      SELECT ${id}, ${id}::uuid, n, 'f', ${id}, ${at} FROM generate_series(1, 50001) AS n`;
    await sql`
      INSERT INTO request_log (account_id, id, request_id, method, path, status, duration_ms, created_at)
      SELECT ${id}, gen_random_uuid(), n, 'GET', '/emails', 200, 1, ${at} FROM generate_series(1, 50001) AS n`;
    await sql`
      INSERT INTO captured_messages (account_id, id, mail_from, recipients, subject, raw, received_at)
      SELECT ${id}, gen_random_uuid(), 'a@b.co', '{}', '', '', ${at} FROM generate_series(1, 101)`;
    await sql`
      CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM removed) > 50000 THEN RAISE 'too many for one statement'; END IF;
        RETURN NULL;
      END $$`;
    for (const table of ['idempotency_keys', 'request_log', 'captured_messages']) {
      await sql`
        CREATE TRIGGER refuse_many AFTER DELETE ON ${sql(table)}
        REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`;
    }
    await runTask('retention:purge');
    for (const table of ['idempotency_keys', 'request_log', 'captured_messages']) {
      expect(await sql`SELECT 1 FROM ${sql(table)} WHERE account_id = ${id} LIMIT 1`).toHaveLength(0);
    }
  });

  it('remove a body 30 days after its message, which reads say before and after', {
    tags: ['contract-message-log.retention', 'contract-messages.single-read-body-expiry', 'limits.body-retention'],
  }, async () => {
    const { body: sent } = await server.send({ html: '<p>x</p>', headers: { 'X-A': 'b' } });
    const before = (await server.settled(sent.id)).body;
    expect(Date.parse(before.bodyExpiresAt) - Date.parse(before.createdAt)).toBe(30 * DAY_MS);
    expect(before).toMatchObject({ bodyExpired: false, html: '<p>x</p>' });
    server.clock.advance(30 * DAY_MS - 60_000);
    await runTask('retention:purge');
    expect((await server.call('GET', `/emails/${sent.id}`)).body).toEqual(before);
    server.clock.advance(120_000);
    await runTask('retention:purge');
    const after = (await server.call('GET', `/emails/${sent.id}`)).body;
    expect(after).toEqual({ ...before, html: null, text: null, headers: null, attachments: null, bodyExpired: true });
  });

  it('remove the counts of inbound reports after 400 days', async () => {
    const { sql } = server.database;
    for (const ageDays of [398, 402]) {
      const at = new Date(server.clock.now().getTime() - ageDays * DAY_MS);
      await sql`
        INSERT INTO inbound_reports (account_id, id, kind, outcome, day, count, created_at)
        VALUES (${randomUUID()}, ${randomUUID()}, 'other', 'forged', ${at}, ${ageDays}, ${at})`;
    }
    await runTask('retention:purge');
    expect(await sql`SELECT count FROM inbound_reports`).toEqual([{ count: 398 }]);
  });

  it('remove a message from the log after 400 days, and never one that is not final', {
    tags: ['contract-message-log.retention'],
  }, async () => {
    const { sql } = server.database;
    const { body: sent } = await server.send();
    await server.settled(sent.id);
    // A delivery that never becomes due: the message behind it stays queued.
    await sql`CREATE FUNCTION park() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.next_at := 'infinity'; RETURN NEW; END $$`;
    await sql`CREATE TRIGGER park BEFORE INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION park()`;
    const { body: waiting } = await server.send();
    const statuses = async () => [
      (await server.call('GET', `/emails/${sent.id}`)).status,
      (await server.call('GET', `/emails/${waiting.id}`)).body.text,
    ];
    server.clock.advance(400 * DAY_MS - 60_000);
    await runTask('retention:purge');
    expect(await statuses()).toEqual([200, 'Hi there']);
    server.clock.advance(120_000);
    await runTask('retention:purge');
    expect(await statuses()).toEqual([404, 'Hi there']);
    expect(await sql`SELECT 1 FROM message_events WHERE message_id = ${sent.id}`).toHaveLength(0);
    await sql`DROP TRIGGER park ON deliveries`;
  });

  it('create the partitions of the coming months', async () => {
    server.clock.advance(70 * DAY_MS);
    await runTask('partitions:ensure');
    const month = server.clock.now().toISOString().slice(0, 7).replace('-', '_');
    const [row] = await server.database.sql`SELECT to_regclass(${`messages_${month}`}) IS NOT NULL AS made`;
    expect(row).toEqual({ made: true });
    const { body } = await server.send();
    expect((await server.settled(body.id)).body.status).toBe('delivered');
  });
});
