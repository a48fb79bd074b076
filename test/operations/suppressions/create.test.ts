import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('adding suppressions', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  const add = (body: unknown, key?: string) =>
    server.call('POST', '/suppressions', { body, ...(key === undefined ? {} : { key }) });
  const listed = async (email: string) =>
    (await server.call('GET', `/suppressions?email=${encodeURIComponent(email)}`)).body.suppressions;

  it('returns 201 with the record, and from then on a send to the address is rejected', {
    tags: [
      'suppressions.manage',
      'suppressions.bodies',
      'suppressions.record-fields',
      'records.suppression',
      'service.suppressions',
    ],
  }, async () => {
    const response = await add({ email: 'ada@example.com' });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.stringMatching(ID),
      email: 'ada@example.com',
      reason: 'manual',
      emailId: null,
      note: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      expiresAt: null,
    });
    const refused = await server.send({ to: 'ADA@example.com' });
    expectProblem(refused, 422, 'recipient_suppressed');
    expect(refused.body.recipients).toEqual([{ email: 'ADA@example.com', kind: 'to', code: 'recipient_suppressed' }]);
    expect((await server.send({ to: 'ada@example.com' }, { key: (await server.newAccount()).key })).status).toBe(202);
  });

  it('accepts reason, note and the expiry', {
    tags: ['suppressions.add-fields', 'suppressions.record-fields'],
  }, async () => {
    const expiresAt = new Date(server.clock.now().getTime() + 3_600_000).toISOString();
    for (const reason of ['hard_bounce', 'complaint', 'unsubscribe', 'manual']) {
      const given = { email: `${reason}@example.com`, reason, note: 'from the former provider', expiresAt };
      expect(await add(given)).toMatchObject({ status: 201, body: given });
    }
    const offset = expiresAt.replace(/T(\d\d)(.*)Z$/, (_, hour, rest) => `T${hour}${rest}+00:00`);
    expect((await add({ email: 'offset@example.com', expiresAt: offset })).body.expiresAt).toBe(expiresAt);
    expect((await add({ email: 'nulls@example.com', note: null, expiresAt: null })).status).toBe(201);
  });

  it('returns 200 with the unchanged record when the address is already suppressed', {
    tags: ['suppressions.add-fields'],
  }, async () => {
    const first = await add({ email: 'twice@example.com', note: 'first' });
    const again = await add({ email: 'Twice@Example.com', reason: 'complaint', note: 'second' });
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(await listed('twice@example.com')).toHaveLength(1);
  });

  it('converts addresses to lower case and their domains to A-labels, with or without a name', async () => {
    expect((await add({ email: 'Ann.B@Bücher.Example' })).body.email).toBe('ann.b@xn--bcher-kva.example');
    expect((await add({ email: '"B, Ann" <ANN.B@xn--bcher-kva.example>' })).status).toBe(200);
    expectProblem(await server.send({ to: 'ann.b@bücher.example' }), 422, 'recipient_suppressed');
  });

  it('accepts up to 1,000 addresses, returns a record for each in order, and counts the new ones', {
    tags: ['suppressions.add-fields'],
  }, async () => {
    await add({ email: 'old@example.com', note: 'before' });
    const response = await add({
      emails: ['new1@example.com', 'OLD@example.com', 'new2@example.com', 'NEW1@example.com'],
      reason: 'hard_bounce',
      note: 'import',
    });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({ suppressions: expect.any(Array), added: 2, existing: 1 });
    const rows = response.body.suppressions.map(({ email, note }: Record<string, string>) => [email, note]);
    expect(rows).toEqual([
      ['new1@example.com', 'import'],
      ['old@example.com', 'before'],
      ['new2@example.com', 'import'],
    ]);
    expect(await add({ emails: ['old@example.com'] })).toMatchObject({ status: 200, body: { added: 0, existing: 1 } });
    const many = Array.from({ length: 1_000 }, (_, index) => `m${index}@many.example`);
    expect(await add({ emails: many })).toMatchObject({ status: 201, body: { added: 1_000, existing: 0 } });
    expectInvalid(await add({ emails: [...many, 'one-more@many.example'] }), ['emails', 'too_many']);
  });

  it('adds all of a list or none of it', async () => {
    expectInvalid(await add({ emails: ['fine@all.example', 'nobody'] }), ['emails.1', 'invalid_email']);
    expect(await listed('fine@all.example')).toEqual([]);
  });

  it.each([
    [{}, 'email', 'required'],
    [{ email: 'a@b.co', emails: ['c@d.co'] }, 'emails', 'conflict'],
    [{ emails: [] }, 'emails', 'too_few'],
    [{ email: 'nobody' }, 'email', 'invalid_email'],
    [{ email: 5 }, 'email', 'invalid_type'],
    [{ email: 'a@b.co', reason: 'soft_bounce' }, 'reason', 'invalid_value'],
    [{ email: 'a@b.co', note: '' }, 'note', 'too_short'],
    [{ email: 'a@b.co', expiresAt: '2099-01-01T00:00:00' }, 'expiresAt', 'invalid_format'],
    [{ email: 'a@b.co', expiresAt: '2099-01-01' }, 'expiresAt', 'invalid_format'],
    [{ email: 'a@b.co', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt', 'out_of_range'],
    [{ email: 'a@b.co', id: 'x' }, 'id', 'unknown_field'],
    [{ email: 'a@b.co', emailId: 'x' }, 'emailId', 'unknown_field'],
  ])('rejects %j, naming %s', { tags: ['suppressions.add-fields'] }, async (body, path, code) => {
    expectInvalid(await add(body), [path, code]);
    expect(await listed('a@b.co')).toEqual([]);
  });

  it('accepts a note of 1,000 characters and no longer one', async () => {
    expect((await add({ email: 'note@b.co', note: 'x'.repeat(1_000) })).status).toBe(201);
    expectInvalid(await add({ email: 'a@b.co', note: 'x'.repeat(1_001) }), ['note', 'too_long']);
  });

  it('replaces an entry that has expired and no longer counts', async () => {
    const expiresAt = new Date(server.clock.now().getTime() + 60_000).toISOString();
    const first = await add({ email: 'short@example.com', expiresAt });
    expect(first.status).toBe(201);
    expectProblem(await server.send({ to: 'short@example.com' }), 422, 'recipient_suppressed');
    server.clock.advance(60_000);
    expect((await server.send({ to: 'short@example.com' })).status).toBe(202);
    const second = await add({ email: 'short@example.com' });
    expect([second.status, second.body.expiresAt]).toEqual([201, null]);
    expectProblem(await server.send({ to: 'short@example.com' }), 422, 'recipient_suppressed');
  });

  it('adds an address once, in parallel requests too', async () => {
    const emails = Array.from({ length: 20 }, (_, index) => `race${index}@example.com`);
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) => add({ emails: index % 2 === 0 ? emails : emails.toReversed() })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect((await server.call('GET', '/suppressions?q=race&limit=100')).body.total).toBe(20);
  });

  it('needs a key with the scope suppressions:write', async () => {
    const reader = await server.newKey({ scopes: ['suppressions:read', 'suppressions:delete'] });
    expectProblem(await add({ email: 'a@b.co' }, reader), 403, 'missing_scope');
    const writer = await server.newKey({ scopes: ['suppressions:write'] });
    expect((await add({ email: 'writer@b.co' }, writer)).status).toBe(201);
    expectProblem(
      await server.call('POST', '/suppressions', { key: null, body: { email: 'a@b.co' } }),
      401,
      'missing_key',
    );
  });
});
