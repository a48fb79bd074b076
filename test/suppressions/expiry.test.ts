import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTasks } from '../../packages/server/src/jobs/tasks.ts';
import { NO_APPROVAL_JOBS } from '../harness/hand-made-engine.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('an expired suppression', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  it('is removed by the scheduled job, and no other is', async () => {
    const { sql } = server.database;
    const endsIn = (ms: number) => new Date(server.clock.now().getTime() + ms).toISOString();
    for (const [email, expiresAt] of [
      ['ever@example.com', null],
      ['later@example.com', endsIn(120_000)],
      ['soon@example.com', endsIn(60_000)],
    ] as const) {
      expect((await server.call('POST', '/suppressions', { body: { email, expiresAt } })).status).toBe(201);
    }
    server.clock.advance(61_000);
    const { engine } = server.app;
    if (engine === null) throw new Error('the app has no worker');
    const onError = (error: unknown) => expect(error).toBeUndefined();
    const { database, domains, installation } = server.app.services;
    const tasks = createTasks({
      ...{
        sql,
        clock: server.clock,
        ids: database.ids,
        engine,
        domains: domains.checker,
        watchdog: async () => {},
        approvals: NO_APPROVAL_JOBS,
        monthlyQuota: installation.monthlyQuota,
        retention: installation.retention,
        onError,
      },
    });
    await tasks['retention:purge']?.({}, undefined as never); // Ours look at neither payload nor helpers.
    const left = await sql`SELECT email FROM suppressions ORDER BY email`;
    expect(left.map(({ email }) => email)).toEqual(['ever@example.com', 'later@example.com']);
  });
});
