import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { removePasskeysOf } from '../../packages/server/src/auth/passkeys/own-passkeys.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { postForm } from '../harness/passkey-confirmation.ts';
import { addPasskey, requestFirstPasskeyLink, signInWith, startRegistering } from '../harness/passkeys.ts';
import { browserOf, cookieOf, joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';
import { holdingKey } from './approving.ts';

const MEMBER = 'admin@sandbox.test';

describe('the first passkey of a member who approves', { tags: ['passkeys.first', 'holes.passkey-approvals'] }, () => {
  let server: TestApp;
  let owner: TestSession;
  let other: TestSession;
  /** Of a member without a passkey. Its cookie is what a thief has. */
  let session: TestSession;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
    await joinAs(server, owner, 'admin');
    other = await joinAs(server, owner, 'approver');
    await addPasskey(server, owner);
    await owner.call('PATCH', '/account', { body: { approvers: { requirePasskey: true } } });
  });
  beforeEach(async () => {
    // Each test has its own mails and tries.
    server.clock.advance(3_600_000);
    await server.database.sql`DELETE FROM passkeys WHERE user_id != ${owner.user.id}`;
    session = await signInAs(server, MEMBER);
    other = await signInAs(server, 'approver@sandbox.test');
  });
  afterAll(() => server.close());

  type Browser = Pick<TestSession, 'call' | 'cookie'>;
  const passkeysOf = async (email: string) =>
    await server.database.sql`SELECT p.id FROM passkeys p JOIN users u ON u.id = p.user_id WHERE u.email = ${email}`;
  const linkFor = async (by: Browser) => (await requestFirstPasskeyLink(server, by)) ?? 'none';
  /** Adds a passkey, as a thief with a script does. */
  const add = async (by: Browser, link?: string): Promise<TestResponse> => {
    const asked = await by.call('POST', '/auth/passkeys/register/options', { body: { link } });
    if (asked.status !== 200) return asked;
    const challenged = { options: asked.body, cookie: cookieOf(asked, 'passkey') };
    return await addPasskey(server, by, { challenged, link: link ?? null });
  };
  const mails = async () => await readInstallationMail(server.database, { tag: 'first-passkey' });
  const signInLink = async (): Promise<string> => {
    await server.call('POST', '/auth/magic-link', { key: null, body: { email: MEMBER } });
    await server.app.services.auth.links.idle();
    const mail = (await readInstallationMail(server.database, { tag: 'sign-in', to: MEMBER })).at(-1);
    return /\/auth\/magic-link\/([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? '';
  };
  const pageOf = async (by: Browser, link: string) =>
    await by.call('GET', `/auth/passkeys/first/${link}`, { headers: { accept: 'text/html' } });

  it('is added with the link from the mailbox, in the session that requested it', async () => {
    const asked = await postForm(session, '/auth/passkeys/first', {});
    expect([asked.status, asked.body]).toEqual([202, expect.stringContaining(`A link was sent to <b>${MEMBER}</b>.`)]);
    const mail = (await mails()).at(-1);
    expect([mail?.to, mail?.subject]).toEqual([MEMBER, 'Add your first passkey']);
    const link = /http:\/\/localhost:\d+\/auth\/passkeys\/first\/([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? '';
    expect((await pageOf(session, link)).body).toContain(`data-link="${link}"`);
    expect((await add(session, link)).status).toBe(201);
    expect(await passkeysOf(MEMBER)).toHaveLength(1);
    const [stored] = await server.database.sql`SELECT count(*)::int AS links FROM magic_links WHERE email = ${MEMBER}`;
    expect(stored).toEqual({ links: 0 });
  });

  it('is refused otherwise, with the page that leads there', async () => {
    const refused = await add(session);
    expectProblem(refused, 403, 'permission_escalation');
    expect(refused.body.fix).toContain(`/auth/passkeys and press “Email me a link”`);
    const page = (await session.call('GET', '/auth/passkeys', { headers: { accept: 'text/html' } })).body;
    expect(page).toContain('must be confirmed with a link that is emailed to you');
    expect(page).not.toContain('id="passkey-add"');
  });

  it('can be added in an old session, because the mail proves more than its age', async () => {
    server.clock.advance(86_400_000);
    expect((await add(session, await linkFor(session))).status).toBe(201);
  });

  it('is not used up by programs that open links in mail', async () => {
    const link = await linkFor(session);
    for (const method of ['GET', 'HEAD', 'GET']) {
      expect((await server.call(method, `/auth/passkeys/first/${link}`, { key: null })).status).toBe(404);
    }
    await pageOf(session, link);
    expect((await add(session, link)).status).toBe(201);
  });

  it('can be tried again after the authenticator was canceled', async () => {
    const link = await linkFor(session);
    await startRegistering(session, server.baseUrl, undefined, link);
    expect((await add(session, link)).status).toBe(201);
  });

  /** Every attempt to add a first passkey without the mailbox. */
  const ATTEMPTS: Readonly<Record<string, () => Promise<TestResponse>>> = {
    'in a stolen session that has just begun': async () => await add(session),
    'after the role was taken away, which may be given back': async () => {
      const { memberId } = session.user;
      const demoted = await owner.call('PATCH', `/team/${memberId}`, { body: { role: 'viewer' } });
      expect(demoted.status).toBe(200);
      const response = await add(session);
      await server.database.sql`UPDATE members SET role = 'admin' WHERE id = ${memberId}`;
      return response;
    },
    'with a made-up link': async () => await add(session, 'x'.repeat(43)),
    'with the link of another user': async () => await add(session, await linkFor(other)),
    'with a link that was requested in another session': async () =>
      await add(session, await linkFor(await signInAs(server, MEMBER))),
    'with a link that has expired': async () => {
      const link = await linkFor(session);
      server.clock.advance(600_000);
      return await add(session, link);
    },
    'with a link that was used': async () => {
      const link = await linkFor(session);
      expect((await add(session, link)).status).toBe(201);
      await server.database.sql`DELETE FROM passkeys WHERE user_id = ${session.user.id}`;
      return await add(session, link);
    },
    'with another link of the session after one was used': async () => {
      const [first, second] = [await linkFor(session), await linkFor(session)];
      expect((await add(session, first)).status).toBe(201);
      await server.database.sql`DELETE FROM passkeys WHERE user_id = ${session.user.id}`;
      return await add(session, second);
    },
    'with a sign-in link': async () => await add(session, await signInLink()),
    'with the challenge that a link got, but without the link': async () => {
      const challenged = await startRegistering(session, server.baseUrl, undefined, await linkFor(session));
      return await addPasskey(server, session, { challenged, link: null });
    },
    'with the challenge that a link got, and the link of another user': async () => {
      const challenged = await startRegistering(session, server.baseUrl, undefined, await linkFor(session));
      return await addPasskey(server, session, { challenged, link: await linkFor(other) });
    },
    'after moving the session to an account without the rule': async () => {
      const founder = await signInAs(server, `founder-${server.clock.now().getTime()}@sandbox.test`);
      await founder.call('POST', '/team/invitations', { body: { email: MEMBER, role: 'viewer' } });
      const guest = await signInAs(server, MEMBER);
      const moved = await guest.call('PATCH', '/auth/session', { body: { accountId: founder.account.id } });
      expect(moved.status).toBe(200);
      return await add(guest);
    },
    'with a device session': async () => {
      const { deviceCode, userCode } = (await server.call('POST', '/auth/device', { key: null })).body;
      await session.call('POST', '/auth/device/confirm', { body: { userCode } });
      const { token: key } = (await server.call('POST', '/auth/device/token', { key: null, body: { deviceCode } }))
        .body;
      const link = await linkFor(session);
      const headers = { origin: server.baseUrl };
      return await server.call('POST', '/auth/passkeys/register/options', { key, headers, body: { link } });
    },
    'with an API key': async () => {
      const headers = { origin: server.baseUrl };
      return await server.call('POST', '/auth/passkeys/register/options', { key: server.key, headers, body: {} });
    },
    'from a page of another site': async () => {
      const headers = { origin: 'https://evil.example' };
      const body = { link: await linkFor(session) };
      return await session.call('POST', '/auth/passkeys/register/options', { headers, body });
    },
    'in a session that a removed passkey started': async () => {
      const { passkey, body } = await addPasskey(server, session);
      const stolen = browserOf(server, cookieOf(await signInWith(server, passkey), 'session'));
      const link = await linkFor(await signInAs(server, MEMBER)).catch(() => 'none');
      await server.database.sql`DELETE FROM passkeys WHERE id = ${body.id}`;
      server.app.services.auth.sessions.forget();
      return await add(stolen, link);
    },
    'in any session, after the operator has removed the passkeys': async () => {
      const link = await linkFor(session);
      await addPasskey(server, session);
      const tools = { sql: server.database.sql, clock: server.clock, ids: createIdGenerator() };
      expect(await removePasskeysOf(tools, MEMBER)).toBe(1);
      return await add(session, link);
    },
  };

  it.each(Object.keys(ATTEMPTS))('is not added %s', async (name) => {
    const response = await ATTEMPTS[name]?.();
    expect([401, 403]).toContain(response?.status);
    expect(await passkeysOf(MEMBER)).toEqual([]);
  });

  it('is not added with a challenge from before the rule', async () => {
    const founder = await signInAs(server, 'early@sandbox.test');
    const challenged = await startRegistering(founder, server.baseUrl);
    await addPasskey(server, founder);
    await founder.call('PATCH', '/account', { body: { approvers: { requirePasskey: true } } });
    await server.database.sql`DELETE FROM passkeys WHERE user_id = ${founder.user.id}`;
    const refused = await addPasskey(server, founder, { challenged, link: null });
    expectProblem(refused, 403, 'permission_escalation');
    expect(await passkeysOf('early@sandbox.test')).toEqual([]);
  });

  it('needs the mail too if the rule is that of a key, or of an account that has invited the user', async () => {
    const boss = await signInAs(server, 'boss@sandbox.test');
    const member = await joinAs(server, boss, 'approver', 'guest@sandbox.test');
    const invited = await signInAs(server, 'invited@sandbox.test');
    await boss.call('POST', '/team/invitations', { body: { email: 'INVITED@sandbox.test', role: 'approver' } });
    const approvers = { requirePasskey: true };
    const rule = { name: 'Strict', scopes: ['sending'], approvalMode: 'always', approvers };
    const made = await boss.call('POST', '/keys', { body: rule });
    expect([made.status, made.body]).toEqual([201, expect.anything()]);
    expectProblem(await add(member), 403, 'permission_escalation');
    expectProblem(await add(invited), 403, 'permission_escalation');
  });

  it('is not added with the link as a sign-in link', async () => {
    const link = await linkFor(session);
    const asked = await server.call('POST', '/auth/magic-link', { key: null, body: { email: MEMBER } });
    const headers = { origin: server.baseUrl, accept: 'application/json', cookie: cookieOf(asked, 'sign-in') };
    const spent = await server.call('POST', `/auth/magic-link/${link}`, { key: null, headers });
    expectProblem(spent, 404, 'not_found');
    expect(spent.headers.getSetCookie()).toEqual([]);
  });

  it('is one, however many links are used at once', async () => {
    const links = [await linkFor(session), await linkFor(session), await linkFor(session)];
    const added = await Promise.all(links.map(async (link) => await add(session, link)));
    expect(added.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await passkeysOf(MEMBER)).toHaveLength(1);
  });

  it('sends as many mails as signing in, and says when there are too many', async () => {
    const before = (await mails()).length;
    const sent = await Promise.all(Array.from({ length: 25 }, () => postForm(session, '/auth/passkeys/first', {})));
    expect(sent.filter(({ status }) => status === 202)).toHaveLength(20);
    const refused = sent.find(({ status }) => status === 429);
    expect([refused?.body, refused?.headers.get('retry-after')]).toEqual([
      expect.stringContaining('Too many links were mailed'),
      '600',
    ]);
    expect((await mails()).length - before).toBe(20);
    expect(await passkeysOf(MEMBER)).toEqual([]);
  });

  it('sends no mail for another site, without a session, or to a user who needs none', async () => {
    const before = (await mails()).length;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' };
    const foreign = await session.call('POST', '/auth/passkeys/first', { headers, rawBody: '' });
    expectProblem(foreign, 403, 'missing_scope');
    const free = await signInAs(server, 'free@sandbox.test');
    const anonymous = browserOf(server, 'session=none');
    for (const by of [anonymous, owner, free]) {
      const sent = await postForm(by, '/auth/passkeys/first', {});
      expect([sent.status, sent.headers.get('location')]).toEqual([303, '/auth/passkeys']);
    }
    expect((await mails()).length).toBe(before);
  });

  it('has a page that says what to do if the link does not work', async () => {
    const link = await linkFor(session);
    const elsewhere = await pageOf(await signInAs(server, MEMBER), link);
    expect([elsewhere.status, elsewhere.body]).toEqual([404, expect.stringContaining('Did your mail app open this')]);
    server.clock.advance(600_000);
    expect((await pageOf(session, link)).status).toBe(404);
  });
});

describe('without a rule that asks for passkeys', { tags: ['passkeys.guards'] }, () => {
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

  it('a first passkey needs a session of at most 15 minutes', async () => {
    const [early, late] = [await signInAs(server, 'early@sandbox.test'), await signInAs(server, 'late@sandbox.test')];
    server.clock.advance(890_000);
    expect((await addPasskey(server, early)).status).toBe(201);
    server.clock.advance(20_000);
    expectProblem(
      await late.call('POST', '/auth/passkeys/register/options', { body: {} }),
      403,
      'permission_escalation',
    );
    const page = await late.call('GET', '/auth/passkeys', { headers: { accept: 'text/html' } });
    expect(page.body).toContain('Sign out, sign in again');
  });

  it('a passkey from before the rule approves after it', async () => {
    await addPasskey(server, owner);
    await holdingKey(server);
    const changed = await owner.call('PATCH', '/account', { body: { approvers: { requirePasskey: true } } });
    expect(changed.status).toBe(200);
    expect((await owner.call('GET', '/passkeys')).body.passkeys).toHaveLength(1);
    await server.database.sql`UPDATE accounts SET approvals_need_passkey = false`;
  });
});
