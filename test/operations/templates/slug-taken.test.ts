import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../../approvals/approving.ts';
import { expectProblem } from '../../harness/expect-problem.ts';
import { signInAs } from '../../harness/session.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('a slug that only a draft has', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  it('is rejected with how to free it, to callers that may see the draft', async () => {
    const body = { slug: 'welcome-draft', name: 'Welcome', text: 'Mine' };
    const { key: agent, id: agentId } = await holdingKey(server);
    const post = async (given: object, key = server.key) =>
      await server.call('POST', '/templates', { key, body: given });
    expect((await post(body, agent)).status).toBe(201);
    const owner = await signInAs(server, 'owner@sandbox.test');
    const create = async () => await owner.call('POST', '/templates', { body: { ...body, text: 'Ours' } });
    const { slug } = (await post({ name: 'Live', text: 'x' })).body;
    for (const refused of [
      await create(),
      await owner.call('PATCH', `/templates/${slug}`, { body: { slug: body.slug } }),
    ]) {
      expectProblem(refused, 409, 'already_exists');
      expect(refused.body.detail).toContain(`version 1, written by the key ${agentId}`);
      expect(refused.body.fix).toContain('`POST /templates/welcome-draft/discard`');
    }
    const unseeing = await server.newKey({ scopes: ['templates:write', 'templates:read'] });
    const blind = await post(body, unseeing);
    expectProblem(blind, 409, 'already_exists');
    expect(JSON.stringify(blind.body)).not.toMatch(/draft that|discard/);
    expect((await owner.call('POST', '/templates/welcome-draft/discard', { body: {} })).status).toBe(200);
    expect((await create()).body).toMatchObject({ slug: 'welcome-draft', status: 'published', text: 'Ours' });
    const taken = await create();
    expect([taken.status, taken.body.fix]).toEqual([409, expect.not.stringContaining('discard')]);
  });
});
