import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resumeAccount } from '../../packages/server/src/db/queries/accounts.ts';
import { recordLateEvent } from '../../packages/server/src/delivery/record-late-event.ts';
import { CRONTAB } from '../../packages/server/src/jobs/crontab.ts';
import { updateReputations } from '../../packages/server/src/stats/update-reputations.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { countAll, sendAll } from './counted.ts';

const DAY_MS = 86_400_000;

describe('the reputation of an account', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  async function newSender(name: string) {
    const { accountId, key } = await server.newAccount(name);
    await server.addDomain(`${name}.test`, accountId);
    const send = async (count: number) => {
      const one = { from: `a@${name}.test`, to: 'a@example.com', text: 'x' };
      return await sendAll(
        server,
        Array.from({ length: count }, () => one),
        key,
      );
    };
    const report = async (type: 'bounced' | 'complained', messageId = '') => {
      const what = { accountId, messageId, ordinal: 0, type, classification: null, detail: null };
      await recordLateEvent(server.database.sql, { ...what, at: server.clock.now(), eventId: randomUUID() });
    };
    const level = async () => {
      await countAll(server);
      await updateReputations({ sql: server.database.sql, clock: server.clock, ids: server.app.services.database.ids });
      return (await server.call('GET', '/account', { key })).body.reputationLevel;
    };
    const attempt = (changes = {}) =>
      server.call('POST', '/emails', {
        key,
        body: { from: `a@${name}.test`, to: 'a@example.com', subject: 'x', text: 'x', ...changes },
      });
    return { accountId, key, send, report, level, attempt };
  }

  it('passes every level by its bounces, rejects sends while suspended, and recovers', {
    tags: ['statistics.reputation'],
  }, async () => {
    const { accountId, key, send, report, level, attempt } = await newSender('levels');
    const ids = await send(99);
    for (const id of ids.slice(0, 2)) await report('bounced', id);
    expect(await level()).toBe('good');
    await send(1);
    expect(await level()).toBe('good');
    await report('bounced', ids[2]);
    expect(await level()).toBe('watch');
    for (const id of ids.slice(3, 5)) await report('bounced', id);
    expect(await level()).toBe('at_risk');
    expect((await attempt()).status).toBe(202);
    for (const id of ids.slice(5, 11)) await report('bounced', id);
    expect(await level()).toBe('suspended');
    expectProblem(await attempt(), 403, 'account_suspended');
    const dry = await attempt({ dry_run: true });
    expect(dry.body).toMatchObject({
      ok: false,
      checks: expect.arrayContaining([expect.objectContaining({ code: 'account_suspended' })]),
    });
    expect((await server.call('GET', '/emails', { key })).status).toBe(200);
    server.clock.advance(6 * DAY_MS);
    expect(await level()).toBe('suspended');
    server.clock.advance(DAY_MS);
    expect(await level()).toBe('good');
    expect((await attempt()).status).toBe(202);
    const changes = await server.database.sql`
      SELECT details ->> 'from' AS from, details ->> 'to' AS to, actor FROM audit_log
      WHERE account_id = ${accountId} AND action = 'account.reputation_changed' ORDER BY seq`;
    const levels = ['good', 'watch', 'at_risk', 'suspended', 'good'];
    expect(changes).toEqual(levels.slice(1).map((to, n) => ({ from: levels[n], to, actor: 'system' })));
  });

  it('falls by complaints too, and is reset by the operator', { tags: ['statistics.reputation'] }, async () => {
    const { accountId, send, report, level, attempt } = await newSender('complaints');
    const [first] = await send(100);
    await report('complained', first);
    expect(await level()).toBe('suspended');
    expectProblem(await attempt(), 403, 'account_suspended');
    expect(await resumeAccount(server.database.sql, accountId, server.clock.now())).toBe(true);
    expect((await attempt()).status).toBe(202);
    expect(await level()).toBe('good');
  });

  it('is not affected by test addresses and test keys, whose mail never leaves', async () => {
    const { accountId, key, level } = await newSender('sandboxed');
    await sendAll(
      server,
      Array.from({ length: 120 }, () => ({ to: 'bounced@sandbox.test', text: 'x' })),
      key,
    );
    expect(await level()).toBe('good');
    expect((await server.call('GET', '/account/stats', { key })).body).toMatchObject({ sent: 120, bounced: 120 });
    expect(
      await server.database.sql`SELECT FROM message_rollups WHERE account_id = ${accountId} AND kind = 'outbound'`,
    ).toEqual([]);
  });

  it('is computed every hour', { tags: ['statistics.reputation'] }, () => {
    expect(CRONTAB).toContainEqual({ task: 'reputation:update', match: expect.stringMatching(/^\d+ \* \* \* \*$/) });
  });
});
