import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

interface Entry {
  readonly id: string;
  readonly seq: number;
  readonly action: string;
  readonly hash: string;
  readonly previousHash: string;
}

describe('GET /audit', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  const list = (query = '', key = server.key) => server.call('GET', `/audit${query}`, { key });

  /** An account with so many additions to its suppression list, and then one removal. */
  async function accountWith(additions: number): Promise<string> {
    const { key } = await server.newAccount();
    for (let count = 0; count < additions; count += 1) {
      await server.call('POST', '/suppressions', { key, body: { email: `a${count}@b.example` } });
      server.clock.advance(1_000);
    }
    await server.call('DELETE', '/suppressions/a0@b.example?note=asked', { key });
    return key;
  }

  it('names members only to callers with `team:read`, and gives others no hash to check a guess with', async () => {
    const { key } = await server.newAccount();
    const invited = await server.call('POST', '/team/invitations', {
      key,
      body: { email: 'eve@b.example', role: 'viewer' },
    });
    expect(invited.status).toBe(201);
    const { body: made } = await server.call('POST', '/keys', { key, body: { name: 'log', scopes: ['audit:read'] } });
    const { entries } = (await list('', made.key)).body;
    expect(JSON.stringify(entries)).not.toContain('eve@b.example');
    expect(entries).toContainEqual(
      expect.objectContaining({
        ...{ action: 'member.invited', hash: null, previousHash: null },
        details: expect.objectContaining({ email: null, role: 'viewer' }),
      }),
    );
    expect(JSON.stringify((await list('', key)).body)).toContain('eve@b.example');
  });

  it('returns entries with exactly their fields, newest first, each chained to the one before', {
    tags: ['team.audit'],
  }, async () => {
    const key = await accountWith(2);
    const { id: keyId } = (await server.call('GET', '/keys/self', { key })).body;
    const { status, body } = await list('', key);
    expect([status, Object.keys(body).sort()]).toEqual([200, ['entries', 'nextCursor', 'total', 'totalIsEstimate']]);
    expect(body).toMatchObject({ total: 3, totalIsEstimate: false, nextCursor: null });
    const [removed, , first] = body.entries;
    expect(removed).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      seq: 3,
      action: 'suppression.removed',
      actor: keyId,
      targetId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      details: { email: 'a0@b.example', reason: 'manual', emailId: null, note: 'asked' },
      createdAt: expect.stringMatching(TIME),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      previousHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(first).toMatchObject({ seq: 1, previousHash: '0'.repeat(64), action: 'suppression.added' });
    const entries: Entry[] = body.entries;
    expect(entries.slice(0, -1).map(({ previousHash }) => previousHash)).toEqual(
      entries.slice(1).map(({ hash }) => hash),
    );
  });

  it('returns each entry once, page by page', { tags: ['team.audit'] }, async () => {
    const key = await accountWith(6);
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await list(`?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`, key);
      expect(body.total).toBe(7);
      seen.push(...body.entries.map(({ seq }: Entry) => seq));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it('filters by action or noun, actor, target and time, and rejects a cursor of other filters', async () => {
    const key = await accountWith(3);
    const { entries } = (await list('', key)).body;
    const [removed, third] = entries;
    const seqs = async (query: string) => (await list(query, key)).body.entries.map(({ seq }: Entry) => seq);
    expect(await seqs('?action=suppression.added')).toEqual([3, 2, 1]);
    expect(await seqs('?action=suppression')).toEqual([4, 3, 2, 1]);
    expect(await seqs('?action=suppress')).toEqual([]);
    expect(await seqs(`?actor=${removed.actor}`)).toEqual([4, 3, 2, 1]);
    expect(await seqs('?actor=system')).toEqual([]);
    expect(await seqs(`?target_id=${third.targetId}`)).toEqual([3]);
    expect(await seqs(`?from=${third.createdAt}&to=${removed.createdAt}`)).toEqual([3]);
    expectInvalid(await list('?targetId=x', key), ['targetId', 'unknown_field']);
    expectInvalid(await list('?from=2026-01-31T09:00:00', key), ['from', 'invalid_format']);
    expectInvalid(await list('?limit=0', key), ['limit', 'out_of_range']);
    const { nextCursor } = (await list('?limit=1', key)).body;
    expectProblem(await list(`?limit=1&actor=system&cursor=${nextCursor}`, key), 422, 'invalid_cursor');
    expectProblem(await list(`?cursor=${nextCursor}`), 422, 'invalid_cursor');
  });

  it('contains the entries of its own account alone, for keys with audit:read', async () => {
    await accountWith(1);
    const { key } = await server.newAccount();
    expect((await list('', key)).body).toMatchObject({ entries: [], total: 0 });
    expectProblem(await list('', await server.newKey({ scopes: ['sending', 'logs:read'] })), 403, 'missing_scope');
    expect((await list('', await server.newKey({ scopes: ['audit:read'] }))).status).toBe(200);
  });
});
