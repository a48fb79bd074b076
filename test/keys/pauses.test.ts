import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decidePause, type Pauser } from '../../packages/server/src/keys/pause-rule.ts';
import { runInProcess } from '../cli/run-in-process.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectTo } from '../mcp/connect.ts';

const BY_KEY: Pauser = { keyId: null, isUser: false, name: 'Monitor' };
const BY_USER: Pauser = { keyId: null, isUser: true, name: 'ada@b.example' };

describe('the rule of pauses', () => {
  it.each([
    ['a key pauses', null, true, false, 'pause'],
    ['a user pauses', null, true, true, 'pause'],
    ['a key pauses again what a key paused', BY_KEY, true, false, 'nothing'],
    ['a user pauses what a key paused', BY_KEY, true, true, 'take-over'],
    ['a key pauses what a user paused', BY_USER, true, false, 'nothing'],
    ['a key resumes what is not paused', null, false, false, 'nothing'],
    ['a key resumes what a key paused', BY_KEY, false, false, 'resume'],
    ['a user resumes what a key paused', BY_KEY, false, true, 'resume'],
    ['a user resumes what a user paused', BY_USER, false, true, 'resume'],
    ['a key resumes what a user paused', BY_USER, false, false, 'refuse'],
  ] as const)('%s', (_, present, wantsPaused, isUser, step) => {
    expect(decidePause(present, wantsPaused, isUser)).toBe(step);
  });
});

describe('what a user paused', () => {
  let server: TestApp;
  let owner: TestSession;
  let id: string;
  let path: { readonly account: string; readonly key: string };
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
    ({ id } = (await owner.call('POST', '/keys', { body: { name: 'Sender', scopes: ['sending'] } })).body);
    path = { account: '/account', key: `/keys/${id}` };
  });
  afterAll(() => server.close());

  const keyed = async (fields: object) =>
    (
      await owner.call('POST', '/keys', {
        body: { name: 'Caller', scopes: ['account:write', 'keys:write'], ...fields },
      })
    ).body.key;
  const isPaused = async (what: 'account' | 'key') => (await owner.call('GET', path[what])).body.pausedAt !== null;

  it.each(['account', 'key'] as const)(
    'is not resumed by a key: the %s stays paused over REST, MCP, SDK and CLI, and each says who paused it',
    { tags: ['holes.resume'] },
    async (what) => {
      expect((await owner.call('POST', `${path[what]}/pause`)).status).toBe(200);
      const rest = await server.call('POST', `${path[what]}/resume`);
      expectProblem(rest, 403, 'permission_escalation');
      expect(rest.body.detail).toBe(`owner@sandbox.test paused the ${what}, and only a user can resume it.`);
      expect(rest.body.fix).toMatch(
        /^Ask owner@sandbox\.test, or another member whose role allows it, to sign in and resume it/,
      );
      const tools = await connectTo(server, 'toolsets=account,keys');
      const refused = await tools.call(
        what === 'account' ? 'resume_account' : 'resume_key',
        what === 'key' ? { id } : {},
      );
      await tools.close();
      expect(refused.text).toContain(rest.body.detail);
      const sdk = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
      const resuming = what === 'account' ? sdk.account.resume() : sdk.keys.resume(id);
      await expect(resuming).rejects.toMatchObject({ code: 'permission_escalation', status: 403 });
      const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
      const argv = what === 'account' ? ['account', 'resume'] : ['keys', 'resume', id];
      const cli = await runInProcess([...argv, '--json'], { env });
      expect([cli.code, JSON.parse(cli.stderr).code]).toEqual([4, 'permission_escalation']);
      expect(await isPaused(what)).toBe(true);
      // Pausing it again by a key does not make it the key's.
      await server.call('POST', `${path[what]}/pause`);
      expectProblem(await server.call('POST', `${path[what]}/resume`), 403, 'permission_escalation');
      expect((await owner.call('POST', `${path[what]}/resume`)).body.pausedAt).toBeNull();
    },
  );

  it('is not resumed by a restricted key either, and who paused it is shown to readers of the team alone', {
    tags: ['holes.resume'],
  }, async () => {
    await owner.call('POST', '/account/pause');
    const keys = await Promise.all([
      keyed({ scopes: ['account:write'], approvalMode: 'always' }),
      keyed({ mode: 'test' }),
      keyed({ recipientAllowlist: ['@b.example'] }),
      keyed({ sendLimit: { hour: 1, day: 1 } }),
      keyed({}),
    ]);
    for (const key of keys) {
      const refused = await server.call('POST', '/account/resume', { key });
      expectProblem(refused, 403, 'permission_escalation');
      expect(JSON.stringify(refused.body)).not.toContain('owner@sandbox.test');
    }
    expect(await isPaused('account')).toBe(true);
    await owner.call('POST', '/account/resume');
  });

  it.each(['key', 'account'] as const)(
    'is not undone by a paused %s through other keys, users or decisions; it can only stop more',
    { tags: ['holes.paused-keys'] },
    async (what) => {
      const scopes = ['emails:send', 'keys:write', 'team:write', 'account:write', 'webhooks:write', 'templates:write'];
      const make = async (fields: object) =>
        (await owner.call('POST', '/keys', { body: { name: 'Made', scopes, ...fields } })).body;
      const [maker, other, held, limited, stopped, ended] = await Promise.all([
        ...[{}, {}, { approvalMode: 'always' }, { sendLimit: { hour: 1 } }, {}, {}].map(make),
      ]);
      await server.call('POST', `/keys/${stopped.id}/pause`);
      await owner.call('POST', what === 'key' ? `/keys/${maker.id}/pause` : '/account/pause');
      const keysBefore = (await owner.call('GET', '/keys')).body.keys;
      const calls = [
        ['POST', '/keys', { name: 'Child', scopes: ['emails:send'] }],
        ['POST', `/keys/${other.id}/rotate`, {}],
        ['POST', `/keys/${maker.id}/rotate`, {}],
        ['PATCH', `/keys/${held.id}`, { approvalMode: 'off' }],
        ['PATCH', `/keys/${limited.id}`, { sendLimit: null }],
        ['PATCH', `/keys/${maker.id}`, { name: 'Renamed' }],
        ['POST', `/keys/${stopped.id}/resume`, undefined],
        ['POST', `/keys/${maker.id}/resume`, undefined],
        ['POST', '/team/invitations', { email: 'x@example.com', role: 'developer' }],
        ['PATCH', '/account', { trackOpens: true }],
        ['POST', '/webhooks', { url: 'https://hooks.example/x' }],
      ] as const;
      for (const [method, route, body] of calls) {
        const refused = await server.call(method, route, { key: maker.key, ...(body && { body }) });
        expectProblem(refused, 403, 'permission_escalation');
        expect([route, refused.body.detail]).toEqual([route, expect.stringContaining('A paused key')]);
      }
      const states = (keys: readonly Readonly<Record<string, unknown>>[]) =>
        keys.map(({ lastUsedAt: _used, ...key }) => key);
      expect(states((await owner.call('GET', '/keys')).body.keys)).toEqual(states(keysBefore));
      const draft = { name: `Draft of a paused ${what}`, subject: 'Hi', text: 'Hi' };
      const written = await server.call('POST', '/templates', { key: maker.key, body: draft });
      expect([written.status, written.body.currentVersion]).toEqual([201, null]);
      expect((await server.call('POST', `/keys/${other.id}/pause`, { key: maker.key })).status).toBe(200);
      expect((await server.call('DELETE', `/keys/${ended.id}`, { key: maker.key })).status).toBe(200);
      expect((await server.call('POST', '/account/pause', { key: maker.key })).status).toBe(200);
      await owner.call('POST', '/account/resume');
    },
  );

  it('includes what a key paused before, once a user has paused it too; the time stays', {
    tags: ['holes.resume'],
  }, async () => {
    for (const what of ['account', 'key'] as const) {
      const first = (await server.call('POST', `${path[what]}/pause`)).body.pausedAt;
      const second = (await owner.call('POST', `${path[what]}/pause`)).body.pausedAt;
      expect(second).toBe(first);
      expectProblem(await server.call('POST', `${path[what]}/resume`), 403, 'permission_escalation');
      expect((await owner.call('POST', `${path[what]}/resume`)).status).toBe(200);
    }
    const { entries } = (await owner.call('GET', '/audit?action=account.paused')).body;
    expect(entries[0].actor).toBe(owner.user.memberId);
  });

  it('includes pauses from before the actor was recorded; keys resume what a key paused', async () => {
    for (const what of ['account', 'key'] as const) {
      await server.call('POST', `${path[what]}/pause`);
      expect((await server.call('POST', `${path[what]}/resume`)).body.pausedAt).toBeNull();
    }
    await server.database.sql`UPDATE accounts SET paused_at = now(), paused_by = NULL WHERE id = ${server.accountId}`;
    expectProblem(await server.call('POST', '/account/resume'), 403, 'permission_escalation');
    expect((await owner.call('POST', '/account/resume')).status).toBe(200);
  });
});
