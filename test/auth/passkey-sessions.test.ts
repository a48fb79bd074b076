import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { removePasskeysOf } from '../../packages/server/src/auth/passkeys/own-passkeys.ts';
import { RemovedPasskeyError, signIn } from '../../packages/server/src/auth/sign-in.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import type { TestPasskey } from '../harness/passkey-authenticator.ts';
import { addPasskey, signInWith } from '../harness/passkeys.ts';
import { browserOf, cookieOf, joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('sessions that a passkey started', { tags: ['passkeys.sessions'] }, () => {
  let server: TestApp;
  let owner: TestSession;
  beforeAll(async () => {
    server = await startTestApp();
  });
  beforeEach(async () => {
    await server.database.sql`DELETE FROM passkeys`;
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());

  const isSignedIn = async (by: Pick<TestSession, 'call'>) =>
    (await by.call('GET', '/auth/session')).body.authenticated as boolean;
  const signedInWith = async (passkey: TestPasskey) =>
    browserOf(server, cookieOf(await signInWith(server, passkey), 'session'));

  it('end with it when its user removes it, and no others', async () => {
    const first = await addPasskey(server, owner);
    const second = await addPasskey(server, owner, { name: 'Phone' });
    const [byFirst, bySecond] = [await signedInWith(first.passkey), await signedInWith(second.passkey)];
    expect((await owner.call('DELETE', `/passkeys/${first.body.id}`)).status).toBe(200);
    expect([await isSignedIn(owner), await isSignedIn(byFirst), await isSignedIn(bySecond)]).toEqual([
      true,
      false,
      true,
    ]);
    const { entries } = (await owner.call('GET', '/audit?action=session.ended&limit=1')).body;
    expect(entries[0]).toMatchObject({ actor: owner.user.memberId, details: { bySession: expect.any(String) } });
    expect((await bySecond.call('POST', '/auth/passkeys/remove', { body: { id: second.body.id } })).status).toBe(200);
    expect([await isSignedIn(owner), await isSignedIn(bySecond)]).toEqual([true, false]);
  });

  it('end with all others of the user when the operator removes the passkeys', async () => {
    const { passkey } = await addPasskey(server, owner);
    const [byPasskey, bystander] = [await signedInWith(passkey), await joinAs(server, owner, 'viewer')];
    const tools = { sql: server.database.sql, clock: server.clock, ids: createIdGenerator() };
    expect(await removePasskeysOf(tools, 'owner@sandbox.test')).toBe(1);
    server.app.services.auth.sessions.forget();
    expect([await isSignedIn(owner), await isSignedIn(byPasskey), await isSignedIn(bystander)]).toEqual([
      false,
      false,
      true,
    ]);
    owner = await signInAs(server, 'owner@sandbox.test');
    const { entries } = (await owner.call('GET', '/audit?action=session.ended&limit=1')).body;
    expect(entries[0]).toMatchObject({ actor: 'operator', details: { bySession: null } });
  });

  it('are not left by a sign-in that a removal overtakes', async () => {
    const { passkey, body } = await addPasskey(server, owner);
    const arrival = { email: 'owner@sandbox.test', name: null, identity: null, how: 'passkey', passkeyId: body.id };
    const both = await Promise.all([signInWith(server, passkey), owner.call('DELETE', `/passkeys/${body.id}`)]);
    expect([200, 404]).toContain(both[0].status);
    const late = signIn(server.app.services.auth.tools, arrival, { client: 'Browser', address: '192.0.2.1' });
    await expect(late).rejects.toThrow(RemovedPasskeyError);
    const [left] = await server.database
      .sql`SELECT count(*)::int AS sessions FROM sessions WHERE passkey_id IS NOT NULL`;
    expect(left).toEqual({ sessions: 0 });
  });
});
