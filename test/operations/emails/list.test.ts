import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toTotal } from '../../../packages/server/src/operations/total.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

interface Row {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly createdAt: string;
}

describe('GET /emails', () => {
  let server: TestApp;
  /** 120 messages, oldest first: every third bounced, the others delivered. */
  const ids: string[] = [];
  beforeAll(async () => {
    server = await startTestApp();
    for (let index = 0; index < 120; index += 1) {
      const to = index % 3 === 0 ? 'bounced@sandbox.test' : 'delivered@sandbox.test';
      ids.push((await server.send({ to, subject: `Message ${index}`, tags: ['t'] })).body.id);
    }
    await Promise.all(ids.map((id) => server.settled(id)));
  });
  afterAll(() => server.close());

  const list = (query = '', key = server.key) => server.call('GET', `/emails${query}`, { key });

  /** Follows the cursors to the end. */
  async function pages(query: string): Promise<{ rows: Row[]; totals: number[]; count: number }> {
    const rows: Row[] = [];
    const totals: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await list(`?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      rows.push(...body.messages);
      totals.push(body.total);
      cursor = body.nextCursor;
    }
    return { rows, totals, count: totals.length };
  }

  it('returns `messages`, `total` and `nextCursor`, newest first', {
    tags: ['emails-list.response', 'contract-shape.list-answer', 'service.log-pagination'],
  }, async () => {
    const { status, body } = await list('?limit=2');
    expect(status).toBe(200);
    expect(body).toEqual({
      messages: [expect.objectContaining({ id: ids[119] }), expect.objectContaining({ id: ids[118] })],
      total: 120,
      totalIsEstimate: false,
      nextCursor: expect.stringMatching(/^[\w-]+$/),
    });
  });

  it('returns each message record with exactly its fields', {
    tags: [
      'message-record.id',
      'message-record.from',
      'message-record.to',
      'message-record.subject',
      'message-record.status',
      'message-record.channel',
      'message-record.source',
      'message-record.agent-name',
      'message-record.tags',
      'message-record.created-at',
      'contract-shape.times',
      'contract-shape.ids',
      'contract-shape.casing',
    ],
  }, async () => {
    const { body } = await list('?limit=1');
    expect(body.messages).toEqual([
      {
        id: expect.stringMatching(UUID_V7),
        from: 'Ada <ada@sandbox.test>',
        to: 'delivered@sandbox.test',
        subject: 'Message 119',
        status: 'delivered',
        channel: 'api',
        source: 'backend',
        agentName: null,
        tags: ['t'],
        createdAt: expect.stringMatching(TIME),
      },
    ]);
  });

  it('accepts a limit of 1 to 100, 50 by default', {
    tags: ['emails-list.limit', 'limits.page-size', 'contract-shape.limit'],
  }, async () => {
    expect((await list()).body.messages).toHaveLength(50);
    expect((await list('?limit=1')).body.messages).toHaveLength(1);
    expect((await list('?limit=100')).body.messages).toHaveLength(100);
    for (const limit of ['0', '101', '-1', '1.5', 'all', '']) expectInvalid(await list(`?limit=${limit}`), 'limit');
    const { body: huge } = await list(`?limit=${'9'.repeat(400)}`);
    expect(huge.errors).toEqual([{ path: 'limit', code: 'out_of_range', message: 'must be at most 100' }]);
  });

  it('returns every message once through its cursors; the last page has none', {
    tags: [
      'emails-list.cursor',
      'emails-list.last-page',
      'contract-shape.list-answer',
      'contract-shape.total-later-page',
    ],
  }, async () => {
    const { rows, totals, count } = await pages('limit=50');
    expect(rows.map(({ id }) => id)).toEqual([...ids].reverse());
    expect(count).toBe(3);
    expect(totals).toEqual([120, 120, 120]);
    const exact = await pages('limit=60');
    expect([exact.count, exact.rows.length]).toEqual([2, 120]);
  });

  it('is ordered by id, which is ordered by time', { tags: ['contract-shape.ids'] }, async () => {
    const { rows } = await pages('limit=100');
    const found = rows.map(({ id }) => id);
    expect(found).toEqual([...found].sort().reverse());
    const times = rows.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('keeps its position while messages are added: pages are keysets, not offsets', {
    tags: ['emails-list.keyset', 'service.log-pagination'],
  }, async () => {
    const other = await server.newAccount();
    const sent: string[] = [];
    for (let index = 0; index < 4; index += 1) sent.push((await server.send({}, { key: other.key })).body.id);
    const first = await list('?limit=2', other.key);
    const late = (await server.send({}, { key: other.key })).body.id;
    const second = await list(`?limit=2&cursor=${first.body.nextCursor}`, other.key);
    const seen = [...first.body.messages, ...second.body.messages].map(({ id }: Row) => id);
    expect(seen).toEqual([...sent].reverse());
    expect(seen).not.toContain(late);
    expect(second.body.nextCursor).toBeNull();
    expect(second.body.total).toBe(5);
  });

  it('filters by status', { tags: ['emails-list.status', 'states.named'] }, async () => {
    const { rows, totals } = await pages('status=bounced&limit=15');
    expect(rows.map(({ id }) => id)).toEqual(ids.filter((_, index) => index % 3 === 0).reverse());
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['bounced']));
    expect(totals).toEqual([40, 40, 40]);
    expect((await list('?status=failed')).body).toEqual({
      messages: [],
      total: 0,
      totalIsEstimate: false,
      nextCursor: null,
    });
    for (const status of ['Bounced', 'opened', 'x', ''])
      expectInvalid(await list(`?status=${status}`), ['status', 'invalid_value']);
  });

  it('rejects a cursor that is broken, or was created for other filters, another list or another account', {
    tags: ['contract-shape.cursor'],
  }, async () => {
    const cursor: string = (await list('?limit=10')).body.nextCursor;
    const filtered: string = (await list('?limit=10&status=bounced')).body.nextCursor;
    const flipped = `${cursor.slice(0, -2)}${cursor.at(-2) === 'A' ? 'B' : 'A'}${cursor.at(-1)}`;
    const other = await server.newAccount();
    for (const response of [
      await list(`?cursor=${filtered}`),
      await list(`?status=bounced&cursor=${cursor}`),
      await list(`?status=delivered&cursor=${filtered}`),
      await list(`?cursor=${flipped}`),
      await list(`?cursor=${cursor}A`),
      await list(`?cursor=${cursor.slice(1)}`),
      await list(`?cursor=${ids[5]}`),
      await list('?cursor='),
      await list(`?cursor=${'A'.repeat(1_001)}`),
      await list(`?cursor=${encodeURIComponent("' OR 1=1 --")}`),
      await list(`?cursor=${cursor}`, other.key),
      await server.call('GET', `/requests?cursor=${cursor}`),
    ]) {
      expectProblem(response, 422, 'invalid_cursor');
    }
    expect((await list(`?limit=3&cursor=${cursor}`)).body.messages).toHaveLength(3);
  });

  it('shows an account only its own messages', async () => {
    const other = await server.newAccount();
    expect((await list('', other.key)).body).toMatchObject({ messages: [], total: 0, nextCursor: null });
    const { body } = await server.send({}, { key: other.key });
    expect((await list('', other.key)).body.messages.map(({ id }: Row) => id)).toEqual([body.id]);
    expect((await list()).body.total).toBe(120);
  });

  it('needs emails:read, and shows no content', async () => {
    const key = await server.newKey({ scopes: ['emails:send', 'emails:content'] });
    expectProblem(await list('', key), 403, 'missing_scope');
    expect(JSON.stringify((await list()).body)).not.toContain('Hi there');
  });

  it('never reports a smaller total than what was seen, whatever changes between two pages', {
    tags: ['contract-shape.total-later-page'],
  }, async () => {
    const { accountId, key } = await server.newAccount();
    for (let index = 0; index < 3; index += 1) {
      const { body } = await server.send({}, { key });
      await server.call('GET', `/emails/${body.id}?wait=10`, { key });
    }
    const first = (await list('?limit=1&status=delivered', key)).body;
    expect(first.total).toBe(3);
    await server.database.sql`UPDATE messages SET status = 'bounced' WHERE account_id = ${accountId}`;
    const later = (await list(`?limit=1&status=delivered&cursor=${first.nextCursor}`, key)).body;
    expect(later).toEqual({ messages: [], total: 1, totalIsEstimate: false, nextCursor: null });
    expect([toTotal(0, 8), toTotal(2, 0)]).toEqual([
      { total: 8, totalIsEstimate: false },
      { total: 2, totalIsEstimate: false },
    ]);
  });

  it('counts exactly up to 10,000 matches, and says when it stopped counting', {
    tags: ['contract-shape.total-estimate', 'contract-shape.total-later-page'],
  }, async () => {
    const { accountId, key } = await server.newAccount();
    const addRows = (count: number) => server.database.sql`
      INSERT INTO messages (account_id, id, key_id, created_at, from_given, from_domain, to_line, subject, status, channel,
        source, tags, metadata, charged, event_count)
      SELECT ${accountId}, uuid_v7(now()), ${accountId}, now(), 'a@b.co', 'b.co', 'c@d.co', 's', 'delivered', 'api', 'backend', '{}', '{}', 0, 1
      FROM generate_series(1, ${count}::int)`;
    await addRows(10_000);
    expect((await list('?limit=1', key)).body).toMatchObject({ total: 10_000, totalIsEstimate: false });
    await addRows(5);
    const first = (await list('?limit=1&status=delivered', key)).body;
    expect(first.total).toBeGreaterThan(10_000);
    expect(first.totalIsEstimate).toBe(true);
    const second = (await list(`?limit=1&status=delivered&cursor=${first.nextCursor}`, key)).body;
    expect(second).toMatchObject({ total: first.total, totalIsEstimate: true });
    expect([toTotal(10_000, 51), toTotal(10_001, 52)]).toEqual([
      { total: 10_000, totalIsEstimate: false },
      { total: 10_001, totalIsEstimate: true },
    ]);
  });
});
