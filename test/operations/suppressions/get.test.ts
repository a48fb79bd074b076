import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('one suppression', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  const get = (name: string, key?: string) =>
    server.call('GET', `/suppressions/${encodeURIComponent(name)}`, key === undefined ? {} : { key });

  it('is read by its id and by its address in any spelling', async () => {
    const { body } = await server.call('POST', '/suppressions', { body: { email: 'o.b+x@bücher.example' } });
    for (const name of [body.id, body.id.toUpperCase(), body.email, 'O.B+X@Bücher.example', `Ann <${body.email}>`]) {
      expect(await get(name), name).toMatchObject({ status: 200, body });
    }
  });

  it('has an address of any valid length', async () => {
    const email = `${'a'.repeat(64)}@${['b', 'c', 'd'].map((letter) => letter.repeat(61)).join('.')}.co`;
    await server.call('POST', '/suppressions', { body: { email } });
    expect((await get(email)).body.email).toBe(email);
  });

  it('is unknown when it is another account’s, expired or nonexistent', async () => {
    const expiresAt = new Date(server.clock.now().getTime() + 60_000).toISOString();
    const { body } = await server.call('POST', '/suppressions', { body: { email: 'brief@example.com', expiresAt } });
    const other = await server.newAccount();
    for (const name of [body.id, body.email]) expectProblem(await get(name, other.key), 404, 'not_found');
    server.clock.advance(60_000);
    for (const name of [body.id, body.email, randomUUID(), 'nobody@example.com', 'x']) {
      expectProblem(await get(name), 404, 'not_found');
    }
  });

  it('needs the scope suppressions:read', async () => {
    const key = await server.newKey({ scopes: ['suppressions:write', 'suppressions:delete'] });
    expectProblem(await get('nobody@example.com', key), 403, 'missing_scope');
  });
});
