import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const NEW = { subject: 'Mail is late', body: 'It came an hour late.\nWhy?' };

describe('support tickets: /support/tickets, /support/tickets/:id, /support/tickets/:id/messages', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const raise = (body: Readonly<Record<string, unknown>> = {}, key = server.key) =>
    server.call('POST', '/support/tickets', { key, body: { ...NEW, ...body } });
  const read = (id: string | number, key = server.key) => server.call('GET', `/support/tickets/${id}`, { key });
  const reply = (id: string | number, body: unknown = { body: 'One thing more.' }, key = server.key) =>
    server.call('POST', `/support/tickets/${id}/messages`, { key, body });
  const setStatus = (id: string, status: string) =>
    server.database.sql`UPDATE support_tickets SET status = ${status} WHERE id = ${id}`;

  it('are created with a first message and returned with exactly their fields, 201', {
    tags: ['support.tickets', 'support.bodies', 'support.record-fields', 'records.ticket', 'service.tickets'],
  }, async () => {
    const { status, body } = await raise({ context: { page: '/checkout', cart: { items: 3 } } });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(ID),
      number: expect.any(Number),
      status: 'open',
      subject: NEW.subject,
      messages: [{ author: 'customer', body: NEW.body, createdAt: expect.stringMatching(TIME) }],
      context: { page: '/checkout', cart: { items: 3 } },
      createdAt: expect.stringMatching(TIME),
    });
    expect((await raise()).body).toMatchObject({ number: body.number + 1, context: {} });
    expect((await read(body.id)).body).toEqual(body);
    expect((await server.call('GET', `/v1/support/tickets/${body.number}`)).body).toEqual(body);
  });

  it('count up over the whole installation', { tags: ['support.record-fields'] }, async () => {
    const other = await server.newAccount();
    const [mine, theirs] = [await raise(), await raise({}, other.key)];
    expect(theirs.body.number).toBe(mine.body.number + 1);
  });

  it('contain the logged request of `requestId`, also right after its error', {
    tags: ['support.context', 'service.request-in-ticket', 'support.tickets'],
  }, async () => {
    const refused = await server.send({ to: 'nobody' });
    const requestId = refused.headers.get('x-request-id');
    const { status, body } = await raise({ requestId, context: { app: 'shop' } });
    expect(status).toBe(201);
    expect(body.context).toEqual({
      app: 'shop',
      requestId,
      requestLog: {
        id: requestId,
        method: 'POST',
        path: '/emails',
        status: 422,
        code: 'validation_failed',
        durationMs: expect.any(Number),
        keyId: expect.stringMatching(ID),
        emailId: null,
        createdAt: expect.stringMatching(TIME),
      },
    });
  });

  it('contain the events of `emailId`, without its content', { tags: ['support.context'] }, async () => {
    const { body: sent } = await server.send({ to: 'bounced@sandbox.test', text: 'a secret body' });
    await server.settled(sent.id);
    const { body } = await raise({ emailId: sent.id });
    expect(body.context).toMatchObject({
      emailId: sent.id,
      emailTrail: { id: sent.id, status: 'bounced', to: 'bounced@sandbox.test', subject: 'Hello' },
    });
    const { events } = body.context.emailTrail;
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['queued', 'bounced']);
    expect(events).toEqual((await server.call('GET', `/emails/${sent.id}`)).body.events);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('note unknown ids, and reveal nothing of another account’s', {
    tags: ['support.context'],
  }, async () => {
    const { body: sent } = await server.send({}, { headers: { 'x-request-id': 'theirs-1' } });
    const other = await server.newAccount();
    const { status, body } = await raise({ emailId: sent.id, requestId: 'theirs-1' }, other.key);
    expect(status).toBe(201);
    expect(body.context).toEqual({ emailId: sent.id, emailTrail: null, requestId: 'theirs-1', requestLog: null });
  });

  it('show a key captured details only within its scopes, and the operator all of it', async () => {
    const { body: sent } = await server.send({}, { headers: { 'x-request-id': 'scoped-1' } });
    const key = await server.newKey({ scopes: ['support:write', 'logs:read'] });
    const { body } = await raise({ emailId: sent.id, requestId: 'scoped-1' }, key);
    expect(body.context).toMatchObject({ emailTrail: null, requestLog: { id: 'scoped-1' }, withheld: ['emailTrail'] });
    const unknown = await raise({ emailId: crypto.randomUUID(), requestId: 'scoped-1' }, key);
    expect(unknown.body.context).toMatchObject({ emailTrail: null, withheld: ['emailTrail'] });
    expect((await read(body.id)).body.context).toMatchObject({ emailTrail: { id: sent.id } });
    expect((await read(body.id)).body.context).not.toHaveProperty('withheld');
  });

  it('reject what breaks a rule, by its name', { tags: ['support.bodies'] }, async () => {
    expectInvalid(
      await server.call('POST', '/support/tickets', { body: {} }),
      ['subject', 'required'],
      ['body', 'required'],
    );
    expectInvalid(await raise({ subject: '' }), ['subject', 'too_short']);
    expectInvalid(await raise({ subject: '  ' }), ['subject', 'too_short']);
    expectInvalid(await raise({ subject: 'x'.repeat(201) }), ['subject', 'too_long']);
    expectInvalid(await raise({ subject: 'a\r\nBcc: b@c.de' }), ['subject', 'forbidden_character']);
    expectInvalid(await raise({ body: '' }), ['body', 'too_short']);
    expectInvalid(await raise({ body: '\n \t' }), ['body', 'too_short']);
    expectInvalid(await raise({ body: 'x'.repeat(20_001) }), ['body', 'too_long']);
    expectInvalid(await raise({ body: 'a\u0000b' }), ['body', 'invalid_unicode']);
    expectInvalid(await raise({ context: [] }), ['context', 'invalid_type']);
    expectInvalid(await raise({ context: { text: 'ä'.repeat(8_192) } }), ['context', 'too_long']);
    expectInvalid(await raise({ context: { requestLog: {} } }), ['context.requestLog', 'reserved']);
    expectInvalid(await raise({ requestId: 'no spaces' }), ['requestId', 'invalid_format']);
    expectInvalid(await raise({ emailId: 'nope' }), ['emailId', 'invalid_format']);
    expectInvalid(await raise({ status: 'closed' }), ['status', 'unknown_field']);
    expectInvalid(await raise({ number: 1 }), ['number', 'unknown_field']);
  });

  it('accept subject, body and context up to their limits', async () => {
    const context = { text: 'x'.repeat(16 * 1024 - '{"text":""}'.length) };
    const { status, body } = await raise({ subject: 'x'.repeat(200), body: 'x'.repeat(20_000), context });
    expect([status, body.context]).toEqual([201, context]);
  });

  it('accept replies, 201 with the ticket, and open again unless they are closed', {
    tags: ['support.replies'],
  }, async () => {
    const { id, number } = (await raise()).body;
    for (const status of ['open', 'pending', 'solved']) {
      await setStatus(id, status);
      const { status: code, body } = await reply(number);
      expect([code, body.id, body.status]).toEqual([201, id, 'open']);
      expect(body.messages.at(-1)).toEqual({
        author: 'customer',
        body: 'One thing more.',
        createdAt: expect.stringMatching(TIME),
      });
    }
    expect((await read(id)).body.messages).toHaveLength(4);
    await setStatus(id, 'closed');
    expectInvalid(await reply(id), ['id', 'ticket_closed']);
    expect((await read(id)).body).toMatchObject({ status: 'closed', messages: { length: 4 } });
  });

  it('reject invalid replies, and those to a thread that is full', { tags: ['support.replies'] }, async () => {
    const { id } = (await raise()).body;
    expectInvalid(await reply(id, {}), ['body', 'required']);
    expectInvalid(await reply(id, { body: 'x'.repeat(20_001) }), ['body', 'too_long']);
    expectInvalid(await reply(id, { body: 'x', author: 'support' }), ['author', 'unknown_field']);
    for (let count = 0; count < 9; count += 1) expect((await reply(id, { body: 'x'.repeat(20_000) })).status).toBe(201);
    expectInvalid(await reply(id, { body: 'x'.repeat(20_000) }), ['id', 'thread_full']);
  });

  it('keep every one of many parallel replies, in one order', { tags: ['support.replies'] }, async () => {
    const { id } = (await raise()).body;
    const bodies = Array.from({ length: 12 }, (_, index) => `reply ${index}`);
    const responses = await Promise.all(bodies.map((body) => reply(id, { body })));
    expect(responses.map(({ status }) => status)).toEqual(bodies.map(() => 201));
    const { messages } = (await read(id)).body;
    expect(
      messages
        .slice(1)
        .map(({ body }: { body: string }) => body)
        .toSorted(),
    ).toEqual(bodies.toSorted());
  });

  it('are listed newest first, in pages, also by status', {
    tags: ['support.list-shape', 'support.tickets'],
  }, async () => {
    const { key } = await server.newAccount();
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) ids.unshift((await raise({ subject: `No ${count}` }, key)).body.id);
    const list = (query = '') => server.call('GET', `/support/tickets${query}`, { key });
    const idsOf = ({ body }: Awaited<ReturnType<typeof list>>) => body.tickets.map(({ id }: { id: string }) => id);
    const first = await list('?limit=3');
    expect(Object.keys(first.body).sort()).toEqual(['nextCursor', 'tickets', 'total', 'totalIsEstimate']);
    const second = await list(`?limit=3&cursor=${first.body.nextCursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids);
    expect([first.body.total, second.body.total, second.body.nextCursor]).toEqual([4, 4, null]);
    expect((await list()).body.tickets[0]).toEqual((await read(ids[0] ?? '', key)).body);
    await setStatus(ids[1] ?? '', 'solved');
    expect(idsOf(await list('?status=solved'))).toEqual([ids[1]]);
    expectInvalid(await list('?status=new'), ['status', 'invalid_value']);
    expectInvalid(await list('?limit=101'), ['limit', 'out_of_range']);
    expectProblem(await list(`?status=open&cursor=${first.body.nextCursor}`), 422, 'invalid_cursor');
    expectProblem(await server.call('GET', `/support/tickets?cursor=${first.body.nextCursor}`), 422, 'invalid_cursor');
  });

  it('of another account are unknown like nonexistent ones, by id and by number', {
    tags: ['support.tickets'],
  }, async () => {
    const { id, number } = (await raise()).body;
    const { key } = await server.newAccount();
    for (const name of [id, number, '00000000-0000-7000-8000-000000000000', '999999999', 'nope', '1e3']) {
      expectProblem(await read(name, key), 404, 'not_found');
      expectProblem(await reply(name, { body: 'x' }, key), 404, 'not_found');
    }
    expect((await server.call('GET', '/support/tickets', { key })).body).toMatchObject({ tickets: [], total: 0 });
    expect((await read(id)).body.messages).toHaveLength(1);
  });

  it('need support:write, for reading as well', async () => {
    const key = await server.newKey({ scopes: ['sending', 'account:read'] });
    const { id } = (await raise()).body;
    expectProblem(await raise({}, key), 403, 'missing_scope');
    expectProblem(await read(id, key), 403, 'missing_scope');
    expectProblem(await reply(id, { body: 'x' }, key), 403, 'missing_scope');
    expectProblem(await server.call('GET', '/support/tickets', { key }), 403, 'missing_scope');
    expectProblem(await server.call('GET', '/support/tickets', { key: null }), 401, 'missing_key');
  });
});
