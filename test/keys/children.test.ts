import { ALL_SCOPES, LIMITS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestrictionName } from '../../packages/server/src/keys/escalation.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

type Fields = Readonly<Record<string, unknown>>;

const scopesBut = (...names: readonly string[]) => ALL_SCOPES.filter((scope) => !names.includes(scope));
/** A key that can make keys, so it is not held: `approvalMode` is tried apart. */
const SCOPES = scopesBut('approvals:decide', 'audit:read');
const persona = { agentName: 'bot', source: 'agent' };
const at = (days: number) => new Date(Date.UTC(2030, 0, days)).toISOString();

/** Of every attribute: what the maker has, what its keys may have, and what would be wider. A new attribute does not compile without a row. */
const ATTRIBUTES: Readonly<
  Record<
    Exclude<RestrictionName, 'mode' | 'approvalMode'>,
    { readonly maker: Fields; readonly fits: Fields; readonly wider: readonly Fields[] }
  >
> = {
  scopes: {
    maker: {},
    fits: { scopes: ['emails:send', 'keys:write'] },
    wider: [{ scopes: ['audit:read'] }, { scopes: [...SCOPES, 'approvals:decide'] }],
  },
  approvers: {
    maker: { approvers: { requirePasskey: true } },
    fits: { approvers: { requirePasskey: true } },
    wider: [{ approvers: null }, { approvers: { requirePasskey: false } }],
  },
  rateLimit: { maker: { rateLimit: 60 }, fits: { rateLimit: 60 }, wider: [{ rateLimit: 61 }, { rateLimit: 600 }] },
  recipientAllowlist: {
    maker: { recipientAllowlist: ['@a.example'] },
    fits: { recipientAllowlist: ['x@a.example'] },
    wider: [{ recipientAllowlist: null }, { recipientAllowlist: ['x@a.example', 'x@b.example'] }],
  },
  ipAllowlist: {
    maker: { ipAllowlist: ['127.0.0.0/8', '::1'] },
    fits: { ipAllowlist: ['127.0.0.1'] },
    wider: [{ ipAllowlist: null }, { ipAllowlist: ['0.0.0.0/0'] }],
  },
  attachmentHosts: {
    maker: { attachmentHosts: ['*.a.example'] },
    fits: { attachmentHosts: ['x.a.example'] },
    wider: [{ attachmentHosts: null }, { attachmentHosts: ['a.example'] }],
  },
  expiresAt: {
    maker: { expiresAt: at(2) },
    fits: { expiresAt: at(1) },
    wider: [{ expiresAt: null }, { expiresAt: at(3) }],
  },
  sendLimit: {
    maker: { sendLimit: { hour: 3, day: 9 } },
    fits: { sendLimit: { hour: 3, day: 9 } },
    wider: [{ sendLimit: null }, { sendLimit: { hour: 3 } }, { sendLimit: { hour: 4, day: 9 } }],
  },
  lockPersona: {
    maker: { persona, lockPersona: true },
    fits: { persona, lockPersona: true },
    wider: [
      { persona, lockPersona: false },
      { persona: { agentName: 'ceo', source: 'agent' }, lockPersona: true },
    ],
  },
};

describe('the keys that a key creates', () => {
  let server: TestApp;
  let owner: TestSession;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());

  interface Made {
    readonly id: string;
    readonly key: string;
  }
  const create = (maker: Made | null, fields: Fields) => {
    const body = { name: 'Key', ...fields };
    return maker === null
      ? owner.call('POST', '/keys', { body })
      : server.call('POST', '/keys', { key: maker.key, body });
  };
  const make = async (maker: Made | null, fields: Fields): Promise<Made> => {
    const { status, body } = await create(maker, fields);
    expect([status, body.detail ?? '']).toEqual([201, '']);
    return body;
  };
  const edit = (caller: Made, { id }: Made, body: Fields) =>
    server.call('PATCH', `/keys/${id}`, { key: caller.key, body });
  const rotate = (caller: Made, { id }: Made) =>
    server.call('POST', `/keys/${id}/rotate`, { key: caller.key, body: {} });
  const read = async ({ id }: Made) => {
    const { lastUsedAt: _used, ...rest } = (await owner.call('GET', `/keys/${id}`)).body;
    return rest;
  };

  describe.each(Object.entries(ATTRIBUTES))('%s', (name, { maker, fits, wider }) => {
    const own = { scopes: SCOPES, ...maker };
    const child = { scopes: SCOPES, ...maker, ...fits };

    it.each(wider)('are never wider, in any generation: %j', { tags: ['holes.made-keys'] }, async (wide) => {
      const first = await make(null, own);
      const second = await make(first, child);
      const third = await make(second, { ...child });
      for (const [caller, one] of [
        [first, second],
        [first, third],
        [second, second],
        [second, third],
        [third, third],
        [third, second],
      ] as const) {
        const before = await read(one);
        const edited = await edit(caller, one, wide);
        expectProblem(edited, 403, 'permission_escalation');
        expect(edited.body.detail).toContain(name);
        expect(await read(one)).toEqual(before);
      }
      for (const caller of [first, second, third]) {
        expectProblem(await create(caller, { ...child, ...wide }), 403, 'permission_escalation');
      }
    });

    it('keep their restrictions when they are rotated, by themselves or by their creator', {
      tags: ['holes.made-keys'],
    }, async () => {
      const first = await make(null, own);
      const second = await make(first, child);
      const before = await read(second);
      const rotated = (await rotate(first, second)).body;
      const again = (await rotate({ id: second.id, key: rotated.key }, second)).body;
      const { last4: _before, ...kept } = before;
      const { last4: _after, ...is } = await read(second);
      expect(is).toEqual(kept);
      expectProblem(
        await edit({ id: second.id, key: again.key }, second, wider[0] ?? {}),
        403,
        'permission_escalation',
      );
    });

    it('cannot be rotated by a key that has become narrower', { tags: ['holes.made-keys'] }, async () => {
      const first = await make(null, { scopes: SCOPES });
      const second = await make(first, { scopes: ['emails:send', 'keys:write'] });
      if (name === 'scopes') return;
      expect((await owner.call('PATCH', `/keys/${first.id}`, { body: maker })).status).toBe(200);
      expectProblem(await rotate(first, second), 403, 'permission_escalation');
    });

    it('get nothing more from a creator that has become narrower', { tags: ['holes.made-keys'] }, async () => {
      const first = await make(null, { scopes: SCOPES });
      const second = await make(first, { scopes: ['keys:read', 'keys:write'] });
      if (name === 'scopes') return;
      expect((await owner.call('PATCH', `/keys/${first.id}`, { body: maker })).status).toBe(200);
      const body = { scopes: ['keys:read', 'keys:write', 'emails:send'] };
      const response = await edit(first, second, body);
      expectProblem(response, 403, 'permission_escalation');
      expect(response.body.detail).toContain(name);
      expect((await edit(first, second, { scopes: ['keys:read'] })).status).toBe(200);
    });
  });

  it('are test keys when their creator is one, and stay so', { tags: ['holes.made-keys'] }, async () => {
    const first = await make(null, { scopes: SCOPES, mode: 'test' });
    expectProblem(await create(first, { scopes: ['emails:send'] }), 403, 'permission_escalation');
    expect((await read(await make(first, { scopes: ['emails:send'], mode: 'test' }))).mode).toBe('test');
  });

  it('cannot become ordinary when their creator may fetch from listed hosts only', {
    tags: ['holes.made-keys'],
  }, async () => {
    const first = await make(null, { scopes: SCOPES, attachmentHosts: ['a.example'] });
    const second = await make(first, { scopes: ['emails:send'], approvalMode: 'always' });
    const response = await edit(first, second, { approvalMode: 'off' });
    expectProblem(response, 403, 'permission_escalation');
    expect(response.body.detail).toContain('attachmentHosts');
    const third = await make(first, { scopes: ['emails:send'], recipientAllowlist: ['@a.example'] });
    expectProblem(await edit(first, third, { recipientAllowlist: null }), 403, 'permission_escalation');
  });

  it('are not created by a held key, whatever scopes it had before', { tags: ['holes.made-keys'] }, async () => {
    const first = await make(null, { scopes: SCOPES });
    const scopes = SCOPES.filter((scope) => !['keys:write', 'team:write'].includes(scope));
    expect((await owner.call('PATCH', `/keys/${first.id}`, { body: { approvalMode: 'always', scopes } })).status).toBe(
      200,
    );
    expectProblem(await create(first, { scopes: ['emails:send'], approvalMode: 'always' }), 403, 'missing_scope');
  });

  it(`end after ${LIMITS.keyGenerations} generations`, async () => {
    let last = await make(null, { scopes: SCOPES });
    for (let made = 0; made < LIMITS.keyGenerations; made += 1) last = await make(last, { scopes: SCOPES });
    const response = await create(last, { scopes: SCOPES });
    expectProblem(response, 403, 'permission_escalation');
    expect(response.body.fix).toContain('signed-in user');
  });
});
