import PostalMime from 'postal-mime';
import { afterEach, describe, expect, it } from 'vitest';
import { notifyApprovers } from '../../packages/server/src/approvals/notify-approvers.ts';
import { decide, decidingKey, holdingKey } from '../approvals/approving.ts';
import { dumpDatabase, spellingsOf } from '../harness/database-dump.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { type SinkReplies, type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const OWNER = 'owner@sandbox.test';
const LINK = /https?:\/\/\S+\/(?:approvals|auth\/magic-link)\/([\w-]{43})/g;

describe('mail of the installation', () => {
  /** Run in the reverse order: a server that shares a database ends before the one that made it. */
  const cleanUps: (() => Promise<void>)[] = [];
  const cleanUp = (work: () => Promise<void>) => cleanUps.push(work);
  afterEach(async () => {
    for (const work of cleanUps.splice(0).reverse()) await work();
  });

  async function start(settings: Readonly<Record<string, string>>, database?: TestApp['database']): Promise<TestApp> {
    const server = await startTestApp({ settings, ...(database === undefined ? {} : { database }) });
    cleanUp(() => server.close());
    return server;
  }

  /** A server whose mail to the world goes to a sink. The owner's address is in the world; the installation's sender at the account's domain. */
  async function startWithSink(replies: SinkReplies = {}): Promise<{ server: TestApp; sink: SmtpSink; owner: string }> {
    const sink = await startSmtpSink({ replies });
    cleanUp(() => sink.close());
    const server = await start({
      POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}`,
      POSTRIDER_MAIL_FROM: 'Acme <no-reply@acme.example>',
    });
    await server.addDomain('acme.example');
    const owner = 'owner@people.example';
    await server.database.sql`UPDATE members SET email = ${owner} WHERE account_id = ${server.accountId}`;
    await server.database.sql`UPDATE users SET email = ${owner} WHERE email = ${OWNER}`;
    return { server, sink, owner };
  }

  async function askForLink(server: TestApp, email: string): Promise<void> {
    const response = await server.call('POST', '/auth/magic-link', { key: null, body: { email } });
    expect(response.status).toBe(202);
    await server.app.services.auth.links.idle();
  }

  /** Sends an approval mail, as the worker does. */
  async function askForApproval(server: TestApp, key: string): Promise<{ readonly approvalId: string }> {
    const { body } = await server.send({ to: 'bob@receiver.example', subject: 'Held' }, { key });
    const onError = (error: unknown) => expect(error).toBeUndefined();
    await notifyApprovers({ ...server.app.services.auth.mailer, onError });
    return body;
  }

  const textsTo = async (sink: SmtpSink, to: string) => {
    const own = sink.messages.filter(({ recipients }) => recipients.includes(to));
    return await Promise.all(own.map(async ({ raw }) => (await PostalMime.parse(raw)).text ?? ''));
  };
  const tokensIn = (texts: readonly string[]) =>
    texts.flatMap((text) => [...text.matchAll(LINK)].map(([, token]) => token ?? ''));

  it('leaves no working link in the database, before its delivery or after', {
    tags: ['holes.approval-links'],
  }, async () => {
    const queue = await start({ POSTRIDER_ROLES: 'api' });
    const agent = await holdingKey(queue);
    await askForLink(queue, OWNER);
    await askForApproval(queue, agent.key);
    const invitation = { email: 'ada@sandbox.test', role: 'viewer' };
    expect((await queue.call('POST', '/team/invitations', { body: invitation })).status).toBe(201);
    await expect.poll(async () => (await readInstallationMail(queue.database)).length).toBe(3);
    const whileQueued = await dumpDatabase(queue.database);

    const worker = await start({}, queue.database);
    await worker.pump();
    const mailbox = async () => (await worker.call('GET', '/dev/mailbox', { key: null })).body.messages;
    await expect.poll(async () => (await mailbox()).length, { timeout: 10_000 }).toBe(3);
    const shown = await Promise.all(
      (await mailbox()).map(async ({ id }: { id: string }) => {
        const { body } = await worker.call('GET', `/dev/mailbox/${id}.eml`, { key: null });
        return (await PostalMime.parse(body)).text ?? '';
      }),
    );
    const tokens = tokensIn(shown);
    expect(tokens).toHaveLength(2);
    expect(shown.join('\n')).toContain('You are invited to the team of Acme');
    for (const path of shown.flatMap((text) => [...text.matchAll(LINK)].map(([url]) => new URL(url).pathname)))
      expect((await worker.call('GET', path, { key: null })).status).toBe(200);
    await worker.app.services.requests.settle();
    const whenDelivered = await dumpDatabase(queue.database);
    expect(whileQueued).toContain('Your sign-in link');
    for (const dump of [whileQueued, whenDelivered]) {
      // Even a link without its token would show whose mail to wait for.
      expect(dump).not.toMatch(/\/(?:approvals|auth\/magic-link)\/[\w-]{20}/);
      expect(dump).not.toContain('You are invited');
      for (const spelling of tokens.flatMap(spellingsOf)) expect(dump.includes(spelling), spelling).toBe(false);
    }
  });

  it('reaches owners and approvers whose address the account suppresses, for any reason', {
    tags: ['holes.owner-suppressed'],
  }, async () => {
    const { server, sink, owner } = await startWithSink();
    const agent = await holdingKey(server);
    expect((await server.call('POST', '/suppressions', { body: { email: owner } })).status).toBe(201);
    await askForLink(server, owner);
    await askForApproval(server, agent.key);
    await server.pump();
    await sink.waitFor(2);
    expect(tokensIn(await textsTo(sink, owner))).toHaveLength(2);
    // The account's own mail to that address is refused unchanged.
    expect((await server.send({ to: owner })).body.code).toBe('recipient_suppressed');
  });

  it('is never suppressed by a bounce: the next one is sent again', {
    tags: ['holes.owner-suppressed'],
  }, async () => {
    let refuses = true;
    const { server, sink, owner } = await startWithSink({
      recipient: () => (refuses ? { code: 550, text: '5.1.1 No such user' } : undefined),
    });
    await askForLink(server, owner);
    const statusOfMail = async () =>
      (await server.database.sql`SELECT status FROM messages WHERE source = 'system' ORDER BY id`).map(
        (row) => row['status'],
      );
    await server.pump();
    await expect.poll(statusOfMail, { timeout: 10_000 }).toEqual(['bounced']);
    expect(await server.database.sql`SELECT FROM suppressions`).toHaveLength(0);
    refuses = false;
    await askForLink(server, owner);
    await server.pump();
    await sink.waitFor(1);
    expect(tokensIn(await textsTo(sink, owner))).toHaveLength(1);
  });

  it('is sent and signed though the account of its domain is suspended, without quota and suppressing the address', async () => {
    const { server, sink } = await startWithSink();
    const { sql } = server.database;
    await sql`UPDATE accounts SET suspended_at = now(), monthly_quota = 0 WHERE id = ${server.accountId}`;
    await askForLink(server, 'new@people.example');
    await server.pump();
    const [mail] = await sink.waitFor(1);
    expect(mail?.raw.toString('latin1')).toMatch(/^DKIM-Signature:[^:]*\bd=acme\.example;/im);
    expect((await server.call('GET', '/emails')).body.total).toBe(0);
  });

  it('makes no one a known contact, and neither does what another held key sent without approval', {
    tags: ['holes.first-contact'],
  }, async () => {
    const server = await start({ POSTRIDER_ROLES: 'api', POSTRIDER_MAIL_FROM: 'Acme <no-reply@acme.example>' });
    await server.addDomain('acme.example');
    const { key } = await holdingKey(server, { approvalMode: 'policy', holdWhen: { firstContact: true } });
    const reasons = async (to: string) => (await server.send({ to }, { key })).body.reasons ?? null;

    await askForLink(server, 'stranger@receiver.example');
    expect(await readInstallationMail(server.database, { to: 'stranger@receiver.example' })).toHaveLength(1);
    expect(await reasons('stranger@receiver.example')).toEqual(['firstContact']);
    // Mail that an earlier release logged under the account proves nothing either.
    await server.database.sql`UPDATE messages SET account_id = ${server.accountId} WHERE source = 'system'`;
    await server.database.sql`UPDATE message_recipients SET account_id = ${server.accountId}`;
    await server.database.sql`UPDATE search_backlog SET account_id = ${server.accountId}`;
    expect(await reasons('stranger@receiver.example')).toEqual(['firstContact']);

    const lax = await holdingKey(server, { approvalMode: 'policy', holdWhen: { recipientsOver: 5 } });
    const sent = await server.send({ to: 'reached@receiver.example' }, { key: lax.key });
    expect(sent.body.status).toBe('queued');
    expect(await reasons('reached@receiver.example')).toEqual(['firstContact']);
    const canceled = await server.send({ to: 'never@receiver.example', scheduled_at: 'P1D' });
    expect((await server.call('POST', `/emails/${canceled.body.id}/cancel`)).status).toBe(200);
    expect(await reasons('never@receiver.example')).toEqual(['firstContact']);

    // A user's approval makes a contact.
    const held = await server.send({ to: 'vetted@receiver.example' }, { key });
    expect((await decide(server, await decidingKey(server), held.body.approvalId)).status).toBe(200);
    expect(await reasons('vetted@receiver.example')).toBeNull();
  });

  it('hides the bcc recipients of another sender from a key that may not see them', {
    tags: ['holes.first-contact'],
  }, async () => {
    const server = await start({ POSTRIDER_ROLES: 'api' });
    const settings = { approvalMode: 'policy', holdWhen: { firstContact: true } } as const;
    const { key } = await holdingKey(server, { ...settings, scopes: ['sending'] });
    const { key: seeing } = await holdingKey(server, { ...settings, scopes: ['full'] });
    const lists = { to: 'open@receiver.example', cc: 'copy@receiver.example', bcc: 'blind@receiver.example' };
    expect((await server.send(lists)).body.status).toBe('queued');
    const isUnknown = async (name: string, asking: string) => {
      const body = { to: `${name}@receiver.example`, dry_run: true };
      const response = await server.send(body, { key: asking });
      expect(response.status).toBe(200);
      return JSON.stringify(response.body).includes('firstContact');
    };
    for (const name of ['open', 'copy']) expect(await isUnknown(name, key)).toBe(false);
    for (const name of ['blind', 'new']) expect(await isUnknown(name, key)).toBe(true);
    expect(await isUnknown('blind', seeing)).toBe(false);
    // The key's own blind copies count.
    const held = await server.send({ to: 'open@receiver.example', bcc: 'own@receiver.example' }, { key });
    expect((await decide(server, await decidingKey(server), held.body.approvalId)).status).toBe(200);
    expect(await isUnknown('own', key)).toBe(false);
  });

  it('keeps the contacts that a key had before it was held', { tags: ['holes.first-contact'] }, async () => {
    const server = await start({ POSTRIDER_ROLES: 'api' });
    const { body: made } = await server.call('POST', '/keys', { body: { name: 'Shop', scopes: ['sending'] } });
    const to = 'customer@receiver.example';
    expect((await server.send({ to }, { key: made.key })).body.status).toBe('queued');
    server.clock.advance(1_000);
    const body = { approvalMode: 'policy', holdWhen: { firstContact: true } };
    expect((await server.call('PATCH', `/keys/${made.id}`, { body })).body).toMatchObject({ id: made.id });
    server.clock.advance(1_000);
    expect((await server.send({ to }, { key: made.key })).body.status).toBe('queued');
    const other = await server.send({ to: 'other@receiver.example' }, { key: made.key });
    expect(other.body.reasons).toEqual(['firstContact']);
  });
});
