import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillSearch } from '../../../packages/server/src/db/queries/fill-search.ts';
import { expectInvalid } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('the key that a message was sent under', () => {
  let server: TestApp;
  let shop: string;
  let agent: string;
  let agentId: string;
  let shopId: string;
  let byAgent: string;
  beforeAll(async () => {
    // No worker runs, so messages are indexed only when the tests say so.
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    const { accountId } = server;
    shop = await server.newKey({ accountId, name: 'Shop', scopes: ['emails:send', 'emails:read', 'keys:read'] });
    agent = await server.newKey({ accountId, name: 'Agent <b>', scopes: ['emails:send', 'emails:read'] });
    [shopId, agentId] = await Promise.all([shop, agent].map(idOf));
    await server.send({ subject: 'Of the shop' }, { key: shop });
    byAgent = (await server.send({ subject: 'Of the agent' }, { key: agent })).body.id;
  });
  afterAll(() => server.close());

  const idOf = async (key: string) => (await server.call('GET', '/keys/self', { key })).body.id;
  const subjects = async (query: string, key: string) => {
    const { body } = await server.call('GET', `/emails?${query}`, { key });
    expect(body.total).toBe(body.messages.length);
    return body.messages.map(({ subject }: { subject: string }) => subject);
  };

  it('is shown to that key and to callers with `keys:read`', { tags: ['emails-get.key'] }, async () => {
    for (const key of [shop, agent])
      expect((await server.call('GET', `/emails/${byAgent}`, { key })).body).toMatchObject({
        ...{ keyId: agentId, keyName: 'Agent <b>' },
      });
  });

  it('is not shown to another key without `keys:read`', { tags: ['emails-get.key', 'holes.sight'] }, async () => {
    const other = await server.newKey({ accountId: server.accountId, scopes: ['emails:read', 'emails:content-all'] });
    const { body } = await server.call('GET', `/emails/${byAgent}`, { key: other });
    expect(body).toMatchObject({ keyId: null, keyName: null, redacted: ['keyId', 'keyName'] });
    expect(JSON.stringify(body)).not.toContain(agentId);
  });

  it.each(['not indexed yet', 'indexed'])(
    'selects messages that are %s',
    { tags: ['emails-list.key'] },
    async (state) => {
      while (state === 'indexed' && (await fillSearch(server.database.sql)) > 0);
      expect(await subjects(`key_id=${agentId}`, shop)).toEqual(['Of the agent']);
      expect(await subjects(`key_id=${shopId.toUpperCase()}`, shop)).toEqual(['Of the shop']);
      expect(await subjects(`key_id=${agentId}&status=queued`, agent)).toEqual(['Of the agent']);
      expect(await subjects(`key_id=${agentId}&status=problem`, agent)).toEqual([]);
      expect(await subjects(`key_id=${agentId}&q=shop`, shop)).toEqual([]);
      // A key that may not see who sent a message cannot find it out with the filter.
      expect(await subjects(`key_id=${shopId}`, agent)).toEqual([]);
      const file = await server.call('GET', `/emails/export?format=json&key_id=${shopId}`, { key: agent });
      expect(file.body).toEqual([]);
      expectInvalid(await server.call('GET', '/emails?key_id=Shop', { key: shop }), ['key_id', 'invalid_format']);
    },
  );
});
