import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runServer } from '../../packages/server/src/commands/run-server.ts';
import { databaseEnvironment, type Environment } from '../harness/server-process.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const SUBJECT = 'Mail is late';

describe('postrider-server tickets', () => {
  let server: TestApp;
  let environment: Environment;
  /** Of each test's own ticket. */
  let id: string;
  let number: number;
  beforeAll(async () => {
    server = await startTestApp();
    const { PGHOST, PGUSER } = databaseEnvironment(server.database);
    Object.assign(process.env, { PGHOST, PGUSER });
    environment = {
      ...databaseEnvironment(server.database),
      POSTRIDER_DATA_DIR: server.config.dataDir,
      POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
    };
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    ({ id, number } = await raise());
  });

  async function raise(body: Readonly<Record<string, unknown>> = {}, key = server.key) {
    return (await server.call('POST', '/support/tickets', { key, body: { subject: SUBJECT, body: 'Why?', ...body } }))
      .body;
  }

  async function run(words: readonly string[], settings: Environment = {}) {
    let [stdout, stderr] = ['', ''];
    const code = await runServer(['tickets', ...words], {
      environment: { ...environment, ...settings },
      write: (text) => {
        stdout += text;
      },
      writeError: (text) => {
        stderr += text;
      },
      progress: () => undefined,
    });
    return { code, stdout, stderr };
  }

  async function json(...words: readonly string[]) {
    const { code, stdout, stderr } = await run([...words, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  }

  const read = async (key = server.key) => (await server.call('GET', `/support/tickets/${id}`, { key })).body;
  const mailTo = async (address: string) => {
    const { messages } = (await server.call('GET', '/dev/mailbox')).body;
    return messages.filter(({ to }: { to: string[] }) => to.includes(address));
  };
  const mailFrom = async (address: string) => {
    const { messages } = (await server.call('GET', '/dev/mailbox')).body;
    return messages.filter(({ from }: { from: string }) => from.includes(address));
  };
  const messagesWith = (subject: string) =>
    server.database.sql`SELECT account_id, id FROM messages WHERE subject LIKE ${`%${subject}`}`;

  it('lists the tickets of all accounts, the newest first, also by status', {
    tags: ['contract-operator.tickets', 'support.operator'],
  }, async () => {
    const other = await server.newAccount('Other');
    const theirs = await raise({}, other.key);
    const { tickets } = await json('list');
    expect(tickets.slice(0, 2)).toMatchObject([
      { number: theirs.number, status: 'open', accountId: other.accountId, accountName: 'Other' },
      { number, id, subject: SUBJECT, messages: [{ author: 'customer', body: 'Why?' }] },
    ]);
    await json('close', String(number));
    const numbers = async (...words: string[]) =>
      (await json('list', ...words)).tickets.map((ticket: { number: number }) => ticket.number);
    expect(await numbers('--status', 'open', 'pending')).not.toContain(number);
    expect(await numbers('--status', 'closed', '--limit', '1')).toEqual([number]);
    const { stdout } = await run(['list']);
    expect(stdout).toMatch(
      new RegExp(`^ *${theirs.number} {2}open +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +1 msg {2}Other: ${SUBJECT}$`, 'm'),
    );
  });

  it('shows a ticket with everything that was captured, whatever its key may read', {
    tags: ['contract-operator.tickets', 'support.operator'],
  }, async () => {
    const { body: sent } = await server.send();
    const key = await server.newKey({ scopes: ['support:write'], name: 'Narrow' });
    const ticket = await raise({ emailId: sent.id, context: { page: '/x' } }, key);
    const shown = await json('show', `#${ticket.number}`);
    expect(shown).toMatchObject({
      id: ticket.id,
      keyName: 'Narrow',
      context: { page: '/x', emailId: sent.id, emailTrail: { id: sent.id, events: [{ type: 'queued' }] } },
    });
    const { stdout } = await run(['show', String(ticket.number)]);
    for (const words of [`subject  ${SUBJECT}`, 'account  Acme', 'key      Narrow', '  Why?', '"page": "/x"'])
      expect(stdout).toContain(words);
  });

  it('replies as `support`, in the thread and by mail to the owner, and a reply reopens the ticket', {
    tags: ['contract-operator.tickets', 'support.operator'],
  }, async () => {
    const { mail, ...shown } = await json('answer', String(number), '--body', 'It was our fault.');
    expect(shown).toMatchObject({
      id,
      status: 'pending',
      messages: [{ author: 'customer' }, { author: 'support', body: 'It was our fault.' }],
    });
    expect(mail).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), to: 'owner@sandbox.test' });
    expect(await read()).toMatchObject({
      status: 'pending',
      messages: [{}, { author: 'support', body: 'It was our fault.' }],
    });
    await server.pump();
    await expect.poll(async () => (await mailTo('owner@sandbox.test')).length, { timeout: 10_000 }).toBeGreaterThan(0);
    const [caught] = await mailTo('owner@sandbox.test');
    expect(caught).toMatchObject({
      from: expect.stringContaining('support@sandbox.test'),
      subject: `Re: [#${number}] ${SUBJECT}`,
    });
    const { body: raw } = await server.call('GET', `/dev/mailbox/${caught.id}.eml`);
    expect(raw).toContain('It was our fault.');
    expect(raw).toContain(`postrider tickets reply ${number}`);
    const replied = await server.call('POST', `/support/tickets/${number}/messages`, { body: { body: 'Thanks' } });
    expect(replied.body).toMatchObject({ status: 'open', messages: { length: 3 } });
  });

  it('sends its replies under no customer’s account: suspended accounts and those without quota receive them too', {
    tags: ['support.operator'],
  }, async () => {
    const other = await server.newAccount('Locked out');
    ({ id, number } = await raise({ subject: 'Why suspended?' }, other.key));
    await server.database
      .sql`UPDATE accounts SET suspended_at = now(), monthly_quota = 0 WHERE id = ${other.accountId}`;
    const { mail } = await json('answer', String(number), '--body', 'You sent too much.');
    expect(mail.to).toBe('other@sandbox.test');
    expect(await messagesWith('Why suspended?')).toEqual([
      { account_id: '00000000-0000-7000-8000-000000000001', id: mail.id },
    ]);
    expect((await server.call('GET', '/emails', { key: other.key })).body.total).toBe(0);
    expect((await read(other.key)).messages).toHaveLength(2);
  });

  it('writes to the user behind the key, if there is one', { tags: ['support.operator'] }, async () => {
    const key = await server.newKey({ scopes: ['support:write'], name: 'Of a developer' });
    const [member] = await server.database.sql`
      INSERT INTO members (account_id, id, email, role, status, joined_at)
      VALUES (${server.accountId}, gen_random_uuid(), 'dev@sandbox.test', 'developer', 'active', now()) RETURNING id`;
    await server.database.sql`UPDATE api_keys SET created_by_member = ${member?.['id']} WHERE name = 'Of a developer'`;
    const ticket = await raise({}, key);
    expect((await json('answer', String(ticket.number), '--body', 'Hello.')).mail.to).toBe('dev@sandbox.test');
  });

  it('sends from POSTRIDER_SUPPORT_FROM when an account has verified its domain, and otherwise does not reply', async () => {
    const settings = { POSTRIDER_SUPPORT_FROM: 'Help <help@desk.example>' };
    const words = ['answer', String(number), '--body', 'Here.', '--json'];
    const refused = await run(words, settings);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stderr)).toMatchObject({
      detail: expect.stringContaining('desk.example is not a verified domain'),
      fix: expect.stringContaining('--no-mail'),
    });
    expect(await read()).toMatchObject({ status: 'open', messages: { length: 1 } });
    await server.addDomain('desk.example');
    const { mail } = JSON.parse((await run(words, settings)).stdout);
    expect((await server.call('GET', `/emails/${mail.id}`)).status).toBe(404);
    const [logged] = await server.database.sql`
      SELECT from_given, to_line, source, tags FROM messages WHERE id = ${mail.id}`;
    expect(logged).toEqual({
      from_given: 'Help <help@desk.example>',
      to_line: 'owner@sandbox.test',
      source: 'system',
      tags: ['support'],
    });
    await server.pump();
    await expect.poll(async () => (await mailFrom('help@desk.example')).length, { timeout: 10_000 }).toBe(1);
    const [caught] = await mailFrom('help@desk.example');
    const { body: raw } = await server.call('GET', `/dev/mailbox/${caught.id}.eml`);
    expect(raw).toMatch(/^DKIM-Signature:[^:]*\bd=desk\.example;/ims);
    const wrong = await run(words, { POSTRIDER_SUPPORT_FROM: 'nobody' });
    expect([wrong.code, JSON.parse(wrong.stderr).detail]).toEqual([
      1,
      expect.stringContaining('POSTRIDER_SUPPORT_FROM'),
    ]);
  });

  it('replies without mail, and as solved, when asked to', async () => {
    const { mail, status } = await json('answer', String(number), '--body', 'Done.', '--no-mail', '--solved');
    expect([mail, status, (await read()).status]).toEqual([null, 'solved', 'solved']);
  });

  it('closes a ticket permanently: neither side can add to it', {
    tags: ['contract-operator.tickets', 'support.operator'],
  }, async () => {
    expect(await json('close', String(number))).toMatchObject({ number, status: 'closed' });
    expect(await json('close', String(number))).toMatchObject({ number, status: 'closed' });
    const { code, stderr } = await run(['answer', String(number), '--body', 'More.']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Ticket ${number} is closed.`)]);
    const reply = await server.call('POST', `/support/tickets/${number}/messages`, { body: { body: 'Wait' } });
    expect(reply.status).toBe(422);
  });

  it('reports a wrong number, body, status or limit, and then does nothing', async () => {
    for (const verb of ['show', 'close']) {
      expect(await run([verb, '999999'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('There is no ticket 999999.'),
      });
    }
    expect((await run(['answer', '999999', '--body', 'x'])).code).toBe(1);
    for (const words of [
      ['show', 'twelve'],
      ['answer', String(number)],
      ['answer', String(number), '--body', ' '],
      ['answer', String(number), '--body', 'x'.repeat(20_001)],
      ['list', '--status', 'new'],
      ['list', '--limit', '0'],
    ]) {
      expect((await run(words)).code, words.join(' ').slice(0, 60)).toBe(2);
    }
    expect(await read()).toMatchObject({ status: 'open', messages: { length: 1 } });
  });

  it('prints no terminal control sequence from a customer’s text, in JSON neither', async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2Jgone\u009b31m\u202e';
    const ticket = await raise({ body: evil, context: { note: evil } });
    for (const words of [
      ['show', String(ticket.number)],
      ['show', String(ticket.number), '--json'],
      ['list', '--json'],
    ]) {
      const { stdout } = await run(words);
      expect(stdout).toContain('gone');
      expect([...stdout].filter((character) => character !== '\n' && /[\p{Cc}\u202e]/u.test(character))).toEqual([]);
    }
    expect((await json('show', String(ticket.number))).messages[0].body).toBe(evil);
  });

  it('leaves the installation’s own account out of the list of accounts', async () => {
    await json('answer', String(number), '--body', 'Hello.');
    let listed = '';
    const io = { writeError: () => undefined, progress: () => undefined, environment };
    await runServer(['accounts', 'list', '--json'], { ...io, write: (text) => (listed += text) });
    const ids = JSON.parse(listed).accounts.map(({ accountId }: { accountId: string }) => accountId);
    expect(ids).toContain(server.accountId);
    expect(ids).not.toContain('00000000-0000-7000-8000-000000000001');
  });
});
