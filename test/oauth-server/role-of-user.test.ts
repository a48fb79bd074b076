import { sendRequestSchema } from '@postrider/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findKeyByHash } from '../../packages/server/src/db/queries/api-keys.ts';
import { readHoldFacts } from '../../packages/server/src/db/queries/hold-facts.ts';
import { hashApiKey } from '../../packages/server/src/keys/api-key.ts';
import { type Caller, toCaller } from '../../packages/server/src/keys/caller.ts';
import { isStillAllowed } from '../../packages/server/src/keys/check-again.ts';
import { findLastingCallers } from '../../packages/server/src/mcp-sessions/lasting-callers.ts';
import { senderOf } from '../../packages/server/src/sending/judged-sender.ts';
import { sendMessages } from '../../packages/server/src/sending/send-messages.ts';
import { readViewerOfKey } from '../../packages/server/src/visibility/viewer.ts';
import { expectInvalid } from '../harness/expect-problem.ts';
import { createProgram, type OAuthProgram, tokensOf } from '../harness/oauth-program.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** A program whose user had the role developer when they allowed it, and then has another role, or none. */
describe('a program whose user gets another role', { tags: ['sessions.program-roles'] }, () => {
  let server: TestApp;
  let owner: TestSession;
  let user: TestSession;
  let program: OAuthProgram;
  let access: string;
  let refresh: string;
  let caller: Caller;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
    program = await createProgram(server);
  });
  let users = 0;
  beforeEach(async () => {
    users += 1;
    user = await joinAs(server, owner, 'developer', `dev${users}@sandbox.test`);
    const scope = 'emails:send emails:read emails:content emails:content-all webhooks:read';
    ({ access, refresh } = await program.signIn(user, { readsOthers: 'on', scope: 'webhooks:read' }, { scope }));
    caller = await callerOf(access);
  });
  afterAll(() => server.close());

  async function callerOf(token: string): Promise<Caller> {
    const hash = hashApiKey(token);
    const row = await findKeyByHash(server.database.sql, hash);
    if (row === null) throw new Error('the token is unknown');
    return toCaller(row, { kind: 'token', hash: hash.toString('base64'), endsAt: row.secretEndsAt });
  }
  const giveRole = async (role: string) => {
    const { status } = await owner.call('PATCH', `/team/${user.user.memberId}`, { body: { role } });
    expect(status).toBe(200);
  };
  const isAllowed = async (scope: Parameters<typeof isStillAllowed>[2], by = caller) =>
    await isStillAllowed(server.database.sql, by, scope, server.clock.now());
  const lasts = async (by = caller) => await findLastingCallers(server.database.sql, [by], server.clock.now());
  const send = async () => {
    const request = sendRequestSchema.parse({ from: 'a@sandbox.test', to: 'b@example.com', subject: 'Hi', text: 'Hi' });
    const order = { request, fixedChannel: null, headerClaims: {}, idempotency: null };
    const [verdict] = await sendMessages(server.app.services.sending, senderOf(caller), [order]);
    return verdict;
  };
  /** Removes the seat alone, as if the revocation of the key were still to come. */
  const loseSeat = async () => await server.database.sql`DELETE FROM members WHERE id = ${user.user.memberId}`;

  it('keeps open connections and streams only with scopes of the new role', async () => {
    expect([await isAllowed('emails:send'), await isAllowed('emails:read'), await lasts()]).toEqual([
      true,
      true,
      [true],
    ]);
    await giveRole('viewer');
    expect([await isAllowed('emails:send'), await isAllowed('emails:read'), await lasts()]).toEqual([
      false,
      true,
      [false],
    ]);
    await giveRole('developer');
    expect([await isAllowed('emails:send'), await lasts()]).toEqual([true, [true]]);
    await loseSeat();
    expect([await isAllowed(null), await lasts()]).toEqual([false, [false]]);
    expect(await lasts({ ...caller, scopes: [] })).toEqual([false]);
  });

  it('keeps them only with scopes of its access token', async () => {
    const narrow = await callerOf(tokensOf(await program.refresh(refresh, { scope: 'emails:read' })).access);
    expect(narrow.scopes).toEqual(['emails:read']);
    expect([await isAllowed('emails:send', narrow), await isAllowed('emails:read', narrow)]).toEqual([false, true]);
    expect(await lasts({ ...narrow, scopes: ['emails:send'] })).toEqual([false]);
    expect(await lasts(narrow)).toEqual([true]);
  });

  it('cannot finish a send that it started before', async () => {
    expect(await send()).toMatchObject({ kind: 'accepted', status: 'pending_approval' });
    await giveRole('viewer');
    expect(await send()).toMatchObject({ kind: 'refused', code: 'missing_scope' });
    await giveRole('developer');
    expect(await send()).toMatchObject({ kind: 'accepted' });
    await giveRole('viewer');
    await loseSeat();
    expect(await send()).toMatchObject({ kind: 'refused', code: 'key_revoked' });
  });

  it('cannot finish one that the statement alone decides, because its messages no longer wait for approval', async () => {
    await owner.call('PATCH', `/keys/${caller.keyId}`, { body: { approvalMode: 'off' } });
    caller = await callerOf(access);
    // Refusals make the queue read the state of keys first; after these sends it does not.
    for (let sent = 0; sent < 5; sent += 1) expect((await server.send()).status).toBe(202);
    expect(await send()).toMatchObject({ kind: 'accepted', status: 'queued' });
    await giveRole('viewer');
    expect(await send()).toMatchObject({ kind: 'refused', code: 'missing_scope' });
  });

  it('learns about blind recipients of others only while the role may', async () => {
    await server.send({ to: 'a@example.com', bcc: 'blind@example.com' });
    const { accountId, keyId } = caller;
    const isKnown = async () => {
      const recipients = [{ accountId, keyId, email: 'blind@example.com' }];
      const facts = await readHoldFacts(server.database.sql, { keys: [], recipients, templates: [], replyDomains: [] });
      return facts.recipients.map((recipient) => recipient.isKnown);
    };
    expect(await isKnown()).toEqual([true]);
    await giveRole('viewer');
    expect(await isKnown()).toEqual([false]);
  });

  it('shows receivers of its webhooks no more than the role may see', async () => {
    const scopesSeen = async () => (await readViewerOfKey(server.database.sql, caller.accountId, caller.keyId)).scopes;
    expect(await scopesSeen()).toContain('emails:content-all');
    await giveRole('viewer');
    expect(await scopesSeen()).toEqual(['emails:read', 'webhooks:read']);
  });

  it('is shown with what it can use, and gets the rest back with the former role', async () => {
    const shown = async () => (await owner.call('GET', `/keys/${caller.keyId}`)).body.scopes;
    const granted = await shown();
    expect(granted).toContain('emails:send');
    await giveRole('viewer');
    expect(await shown()).toEqual(['emails:read', 'webhooks:read']);
    await owner.call('PATCH', `/keys/${caller.keyId}`, { body: { name: 'Renamed' } });
    const { keys } = (await owner.call('GET', '/keys')).body;
    expect(keys.find(({ id }: { id: string }) => id === caller.keyId)).toMatchObject({
      ...{ name: 'Renamed', scopes: ['emails:read', 'webhooks:read'] },
    });
    await giveRole('developer');
    expect(await shown()).toEqual(granted);
  });

  it('cannot be given a scope that programs cannot have, not even by an owner', async () => {
    const change = async (body: object) => await owner.call('PATCH', `/keys/${caller.keyId}`, { body });
    for (const scope of ['approvals:decide', 'keys:write', 'account:write']) {
      const refused = await change({ approvalMode: 'off', scopes: ['emails:read', scope] });
      expectInvalid(refused, ['scopes', 'conflict']);
      expect(refused.body.errors[0].message).toContain(`a program that signed in cannot have \`${scope}\``);
    }
    const full = await change({ scopes: ['full'] });
    expect([full.status, full.body.scopes]).toEqual([200, expect.not.arrayContaining(['keys:write', 'logs:read'])]);
    // Stored by an earlier release, or by hand.
    await server.database.sql`UPDATE api_keys SET scopes = '{emails:read,approvals:decide}' WHERE id = ${caller.keyId}`;
    expect((await callerOf(access)).scopes).toEqual(['emails:read']);
  });
});
