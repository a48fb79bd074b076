import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('POST /account/pause and POST /account/resume', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const pause = (key = server.key) => server.call('POST', '/account/pause', { key });
  const resume = (key = server.key) => server.call('POST', '/account/resume', { key });

  it('stop and start the sending of every key of the account, and of no other', { tags: ['keys.pause'] }, async () => {
    const { key: other } = await server.newAccount();
    const own = await server.newKey();
    const before = (await server.call('GET', '/account')).body;
    const paused = await pause();
    expect([paused.status, paused.body]).toEqual([200, { ...before, pausedAt: expect.stringMatching(/Z$/) }]);
    for (const key of [server.key, own]) expectProblem(await server.send({}, { key }), 403, 'sending_paused');
    expect((await server.send({}, { key: other })).status).toBe(202);
    expect((await server.call('GET', '/emails', { key: own })).status).toBe(200);
    expect((await server.call('GET', '/keys/self', { key: own })).body).toMatchObject({
      pausedAt: null,
      sendingPaused: 'account',
    });
    expect((await pause()).body.pausedAt).toBe(paused.body.pausedAt);
    expect((await resume()).body).toEqual(before);
    expect((await resume()).status).toBe(200);
    expect((await server.send({}, { key: own })).status).toBe(202);
    const rows = await server.database
      .sql`SELECT action FROM audit_log WHERE action LIKE 'account.%' AND target_id IS NULL ORDER BY seq`;
    expect(rows.map(({ action }) => action)).toEqual(['account.paused', 'account.resumed']);
  });

  it('take effect within a second on every process', async () => {
    const other = await startTestApp({ database: server.database, settings: { POSTRIDER_ROLES: 'api' } });
    const key = await server.newKey();
    expect((await other.send({}, { key })).status).toBe(202);
    await pause();
    other.clock.advance(999);
    expectProblem(await other.send({}, { key }), 403, 'sending_paused');
    await resume();
    await other.close();
  });

  it('need `account:write` and accept no fields', async () => {
    const key = await server.newKey({ scopes: ['account:read', 'keys:write'] });
    expectProblem(await pause(key), 403, 'missing_scope');
    expectProblem(await resume(key), 403, 'missing_scope');
    expectInvalid(await server.call('POST', '/account/pause', { body: { until: 'later' } }), 'until');
  });
});
