import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../packages/server/src/config.ts';
import { createTasks } from '../../packages/server/src/jobs/tasks.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { NO_APPROVAL_JOBS } from '../harness/hand-made-engine.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { countAll } from '../stats/counted.ts';

const DAY_MS = 86_400_000;

describe('the settings of retention', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({
      settings: { POSTRIDER_BODY_RETENTION_DAYS: '2', POSTRIDER_LOG_RETENTION_DAYS: '5' },
    });
  });
  afterAll(() => server.close());

  async function purge(): Promise<void> {
    const { engine, services } = server.app;
    if (engine === null) throw new Error('the app has no worker');
    const tasks = createTasks({
      ...{ sql: server.database.sql, clock: server.clock, ids: services.database.ids, engine },
      ...{
        domains: services.domains.checker,
        monthlyQuota: server.config.monthlyQuota,
        watchdog: async () => {},
        approvals: NO_APPROVAL_JOBS,
        retention: server.config.retention,
      },
      onError: (error) => {
        throw error;
      },
    });
    await tasks['retention:purge']?.({}, undefined as never); // It looks at neither payload nor helpers.
  }

  it('set how long content and log are kept, for reads and for removal', {
    tags: ['contract-message-log.retention-settings'],
  }, async () => {
    const { sql } = server.database;
    const { body: sent } = await server.send();
    const before = (await server.settled(sent.id)).body;
    await countAll(server);
    expect((await server.call('GET', '/account')).body.retentionDays).toBe(2);
    expect(Date.parse(before.bodyExpiresAt) - Date.parse(before.createdAt)).toBe(2 * DAY_MS);
    server.clock.advance(2 * DAY_MS - 60_000);
    await purge();
    const read = () => server.call('GET', `/emails/${sent.id}`);
    expect((await read()).body.bodyExpired).toBe(false);
    server.clock.advance(120_000);
    await purge();
    expect((await read()).body).toMatchObject({ bodyExpired: true, status: 'delivered' });
    server.clock.advance(3 * DAY_MS);
    await purge();
    expectProblem(await read(), 404, 'not_found');
    expect(await sql`SELECT FROM message_counts`).toHaveLength(0);
    const stats = async () => (await server.call('GET', '/account/stats?window=90d')).body.sent;
    expect(await stats()).toBe(1); // Statistics hold nothing personal, and outlive a short log.
    server.clock.advance(90 * DAY_MS);
    await purge();
    expect(await sql`SELECT FROM message_rollups`).toHaveLength(0);
  });

  it.each([
    [{ POSTRIDER_BODY_RETENTION_DAYS: '0' }, 'POSTRIDER_BODY_RETENTION_DAYS'],
    [{ POSTRIDER_LOG_RETENTION_DAYS: '0', POSTRIDER_BODY_RETENTION_DAYS: '0' }, 'POSTRIDER_LOG_RETENTION_DAYS'],
    [{ POSTRIDER_BODY_RETENTION_DAYS: 'a month' }, 'POSTRIDER_BODY_RETENTION_DAYS'],
    [{ POSTRIDER_LOG_RETENTION_DAYS: '-1' }, 'POSTRIDER_LOG_RETENTION_DAYS'],
    [{ POSTRIDER_LOG_RETENTION_DAYS: '36501' }, 'POSTRIDER_LOG_RETENTION_DAYS'],
    [{ POSTRIDER_LOG_RETENTION_DAYS: '29' }, 'POSTRIDER_BODY_RETENTION_DAYS'],
    [{ POSTRIDER_BODY_RETENTION_DAYS: '401' }, 'POSTRIDER_BODY_RETENTION_DAYS'],
  ])('%j prevents the start, naming %s', { tags: ['contract-message-log.retention-settings'] }, (settings, name) => {
    const verdict = readConfig(settings);
    if (verdict.ok) expect.fail('nothing was refused');
    expect(verdict.problems.map(({ setting }) => setting)).toContain(name);
  });

  it('are 30 and 400 days unless set', { tags: ['contract-message-log.retention-settings'] }, () => {
    const verdict = readConfig({});
    expect(verdict).toMatchObject({ ok: true, config: { retention: { bodyDays: 30, logDays: 400, eventDays: 30 } } });
  });
});
