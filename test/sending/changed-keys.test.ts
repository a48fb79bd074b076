import { sendRequestSchema } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKeyById, keyRestrictions } from '../../packages/server/src/db/queries/api-keys.ts';
import { toCaller, toUserCaller } from '../../packages/server/src/keys/caller.ts';
import { senderOf } from '../../packages/server/src/sending/judged-sender.ts';
import { sendMessages } from '../../packages/server/src/sending/send-messages.ts';
import { signInAs } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** A send that was judged by an earlier state of its key, as after a slow body, a slow attachment or a slow template. */
describe('a send whose key or account changed after it was judged', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const newKey = async () => {
    const { body } = await server.call('POST', '/keys', { body: { name: 'Agent', scopes: ['sending'] } });
    return body.id as string;
  };
  const readCaller = async (id: string) => {
    const row = await findKeyById(server.database.sql, server.accountId, id);
    if (row === null) throw new Error(`no key ${id}`);
    return toCaller(row);
  };
  const send = async (sender: ReturnType<typeof senderOf>, to = 'a@example.com') => {
    const request = sendRequestSchema.parse({ from: 'a@sandbox.test', to, subject: 'Hi', text: 'Hi' });
    const order = { request, fixedChannel: null, headerClaims: {}, idempotency: null };
    const [verdict] = await sendMessages(server.app.services.sending, sender, [order]);
    return verdict;
  };
  const count = async () => Number((await server.database.sql`SELECT count(*) FROM messages`)[0]?.['count']);

  it('counts a change of every restriction on sends in the version of the key', async () => {
    const [row] = await server.database.sql`
      SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE tgname = 'count_key_version'`;
    const uncounted = Object.values(keyRestrictions).filter(
      ({ name }) => !row?.['definition'].includes(`old.${name} `),
    );
    // Neither is a rule of a send: the rate limit counts requests, and what an approval needs is read when it is made.
    expect(
      uncounted.map(({ name }) => name),
      'A migration must create the trigger `count_key_version` again with these columns.',
    ).toEqual(['rate_limit', 'approvals_need_passkey', 'approvals_needed', 'approver_ids']);
  });

  it.each([
    ['revoked', "revoked_at = now(), name = 'x'", 'key_revoked'],
    ['paused', 'paused_at = now()', 'sending_paused'],
    ['expired', "expires_at = '2001-01-01'", 'key_expired'],
    ['narrowed to other recipients', "recipient_allowlist = '{@example.org}'", 'recipient_not_allowed'],
    ['left without the scope', "scopes = '{emails:read}'", 'missing_scope'],
    ['bound to other networks', "ip_allowlist = '{203.0.113.0/24}'", 'ip_not_allowed'],
    ['given a locked persona', "lock_persona = true, persona_agent_name = 'herald'", null],
  ])('is rejected when the key was %s', { tags: ['holes.accept-facts'] }, async (_what, change, code) => {
    const id = await newKey();
    const sender = senderOf(await readCaller(id));
    await server.database.sql`UPDATE api_keys SET ${server.database.sql.unsafe(change)} WHERE id = ${id}`;
    const before = await count();
    const verdict = await send(sender);
    if (code === null) {
      expect(verdict).toMatchObject({ kind: 'accepted' });
      const [row] = await server.database.sql`SELECT agent_name FROM messages ORDER BY id DESC LIMIT 1`;
      expect(row?.['agent_name']).toBe('herald');
      return;
    }
    expect(verdict).toMatchObject({ kind: 'refused', code });
    expect(await count()).toBe(before);
  });

  it('is held when the key was put into approval mode', { tags: ['holes.accept-facts'] }, async () => {
    const id = await newKey();
    const sender = senderOf(await readCaller(id));
    await server.database.sql`UPDATE api_keys SET approval_mode = 'always' WHERE id = ${id}`;
    const verdict = await send(sender);
    expect(verdict).toMatchObject({ kind: 'accepted', status: 'pending_approval', hold: { reasons: ['always'] } });
  });

  it('is rejected when the account was paused, and accepted once it is resumed', {
    tags: ['holes.accept-facts'],
  }, async () => {
    const sender = senderOf(await readCaller(await newKey()));
    await server.database.sql`UPDATE accounts SET paused_at = now() WHERE id = ${server.accountId}`;
    expect(await send(sender)).toMatchObject({ kind: 'refused', code: 'sending_paused' });
    await server.database.sql`UPDATE accounts SET paused_at = NULL WHERE id = ${server.accountId}`;
    expect(await send(sender)).toMatchObject({ kind: 'accepted', status: 'queued' });
  });

  it('is rejected when the key of a resend was revoked', async () => {
    const [issuer, caller] = [await newKey(), await newKey()];
    const sender = senderOf(await readCaller(caller), await readCaller(issuer));
    await server.database.sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${issuer}`;
    expect(await send(sender)).toMatchObject({ kind: 'refused', code: 'issuing_key_revoked' });
  });

  /** Refusals make the queue ask for facts first; after these sends the statement alone decides again. */
  const calmDown = async () => {
    for (let sent = 0; sent < 5; sent += 1) expect((await server.send()).status).toBe(202);
  };

  it('is rejected by the statement itself when the session ended, or its secret was replaced or has expired', {
    tags: ['holes.ended-callers'],
  }, async () => {
    const { sql } = server.database;
    const id = await newKey();
    const [stored] = await sql<
      { hash: string }[]
    >`SELECT encode(secret_hash, 'base64') AS hash FROM api_keys WHERE id = ${id}`;
    const { row } = await readCaller(id);
    const secret = { kind: 'secret', hash: stored?.hash ?? '', endsAt: null } as const;
    const endsAt = server.clock.now();
    await calmDown();
    expect(await send(senderOf(toCaller(row, secret)))).toMatchObject({ kind: 'accepted' });
    expect(await send(senderOf(toCaller(row, { ...secret, hash: 'b3RoZXI=', endsAt })))).toMatchObject({
      code: 'key_revoked',
    });
    await calmDown();
    await sql`UPDATE api_keys SET secret_hash = 'new' WHERE id = ${id}`;
    expect(await send(senderOf(toCaller(row, secret)))).toMatchObject({ code: 'key_revoked' });
    const user = await signInAs(server, 'owner@sandbox.test');
    const seat = await findKeyById(sql, server.accountId, user.user.memberId);
    const [session] = await sql<{ id: string }[]>`SELECT id FROM sessions ORDER BY created_at DESC, id DESC LIMIT 1`;
    if (seat === null || session === undefined) throw new Error('no one is signed in');
    const shown = { kind: 'session', id: session.id, endsAt: null } as const;
    const sender = senderOf(toCaller(seat, shown));
    await calmDown();
    expect(await send(sender)).toMatchObject({ kind: 'accepted' });
    await sql`DELETE FROM sessions WHERE id = ${session.id}`;
    expect(await send(sender)).toMatchObject({ code: 'session_required' });
  });

  it('is rejected when the member lost the role that sends, or the membership', {
    tags: ['holes.accept-facts'],
  }, async () => {
    const { sql } = server.database;
    await signInAs(server, 'owner@sandbox.test');
    const [member] = await sql<{ id: string; session: string }[]>`
      SELECT m.id, s.id AS session FROM members m JOIN sessions s ON s.account_id = m.account_id AND s.member_id = m.id
      WHERE m.account_id = ${server.accountId}`;
    const row = await findKeyById(sql, server.accountId, member?.id ?? '');
    if (row === null || member === undefined) throw new Error('the owner has no seat');
    const user = {
      ...{
        sessionId: member.session,
        sessionEndsAt: new Date(Date.now() + 86_400_000),
        userId: member.id,
        memberId: member.id,
      },
      ...{ email: 'owner@sandbox.test', name: null, role: 'owner' as const },
      ...{ isDevice: false, mayDecide: true, client: null },
    };
    const sender = senderOf(toUserCaller(row, user));
    expect(await send(sender)).toMatchObject({ kind: 'accepted' });
    await sql`UPDATE members SET role = 'viewer' WHERE id = ${member.id}`;
    expect(await send(sender)).toMatchObject({ kind: 'refused', code: 'missing_scope' });
    await sql`UPDATE members SET role = 'owner' WHERE id = ${member.id}`;
    await sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${member.id}`;
    expect(await send(sender)).toMatchObject({ kind: 'refused', code: 'key_revoked' });
  });
});
