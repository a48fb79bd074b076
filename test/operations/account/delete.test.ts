import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eraseDueAccounts } from '../../../packages/server/src/accounts/erase-account.ts';
import { runInProcess } from '../../cli/run-in-process.ts';
import { expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const DAY_MS = 86_400_000;

describe('DELETE /account', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const read = async (key: string) => (await server.call('GET', '/account', { key })).body;
  const remove = (key: string) => server.call('DELETE', '/account', { key });

  it('schedules the deletion in 30 days, which the account shows', { tags: ['account.delete'] }, async () => {
    const { key } = await server.newAccount();
    const response = await remove(key);
    expect(response.status).toBe(202);
    expect(response.body).toEqual({
      deletionScheduledAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const inDays = (Date.parse(response.body.deletionScheduledAt) - server.clock.now().getTime()) / DAY_MS;
    expect(inDays).toBeGreaterThan(29.99);
    expect(inDays).toBeLessThanOrEqual(30);
    expect(await read(key)).toMatchObject(response.body);
  });

  it('returns the first time when it is requested again, and everything works until then', {
    tags: ['account.delete'],
  }, async () => {
    const { key } = await server.newAccount();
    const first = (await remove(key)).body;
    server.clock.advance(60_000);
    expect((await remove(key)).body).toEqual(first);
    expect((await server.send({}, { key })).status).toBe(202);
  });

  it('is canceled by `cancelDeletion: true`, and may be requested again', {
    tags: ['states.account-deletion', 'account.update-fields'],
  }, async () => {
    const { accountId, key } = await server.newAccount();
    const first = (await remove(key)).body.deletionScheduledAt;
    const patch = (body: unknown) => server.call('PATCH', '/account', { key, body });
    expect((await patch({ name: 'Still going' })).body.deletionScheduledAt).toBe(first);
    expect((await patch({ cancelDeletion: true })).body).toMatchObject({
      name: 'Still going',
      deletionScheduledAt: null,
    });
    expect((await patch({ cancelDeletion: true })).body.deletionScheduledAt).toBeNull();
    server.clock.advance(31 * DAY_MS);
    expect(await eraseDueAccounts(server.database.sql, server.clock.now())).not.toContain(accountId);
    expect(await read(key)).toMatchObject({ id: accountId });
    expect(Date.parse((await remove(key)).body.deletionScheduledAt)).toBeGreaterThan(Date.parse(first));
    const audit = await server.database.sql`
      SELECT action FROM audit_log WHERE account_id = ${accountId} AND action LIKE 'account.%' ORDER BY seq`;
    expect(audit.map(({ action }) => action)).toEqual([
      'account.deletion_scheduled',
      'account.updated',
      'account.deletion_canceled',
      'account.deletion_scheduled',
    ]);
  });

  it('needs account:write', async () => {
    const reader = await server.newKey({ scopes: ['account:read'] });
    expectProblem(await remove(reader), 403, 'missing_scope');
    expectProblem(await server.call('DELETE', '/account', { key: null }), 401, 'missing_key');
    expect((await read(server.key)).deletionScheduledAt).toBeNull();
  });

  it('asks for confirmation in the CLI, and does nothing without a yes', async () => {
    const { key } = await server.newAccount();
    const env = { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: server.baseUrl };
    const unasked = await runInProcess(['account', 'delete'], { env });
    expect([unasked.code, unasked.stdout]).toEqual([2, '']);
    expect(unasked.stderr).toContain('postrider account delete --yes');
    const asked = (line: string) => {
      const stdin = Object.assign(new ReadableStream<string>({ start: (controller) => controller.enqueue(line) }), {
        isTTY: true,
      });
      return runInProcess(['account', 'delete'], { env, columns: 80, stdin });
    };
    const refused = await asked('no\n');
    expect([refused.code, (await read(key)).deletionScheduledAt]).toEqual([2, null]);
    const meant = await asked('delete\n');
    expect([meant.code, meant.stdout]).toEqual([0, expect.stringContaining('The account will be deleted on')]);
    const again = await runInProcess(['account', 'delete', '--yes', '--json'], { env });
    expect(JSON.parse(again.stdout)).toEqual({ deletionScheduledAt: (await read(key)).deletionScheduledAt });
  });

  it('is the same over the SDK', { tags: ['account.delete'] }, async () => {
    const { key } = await server.newAccount();
    const { account } = new Postrider({ apiKey: key, baseUrl: server.baseUrl });
    expect(await account.delete()).toEqual({ deletionScheduledAt: (await read(key)).deletionScheduledAt });
  });
});
