import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('scheduled_at', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const read = async (id: string) => (await server.call('GET', `/emails/${id}`)).body;
  const ahead = (ms: number) => new Date(server.clock.now().getTime() + ms).toISOString();
  const typesOf = ({ events }: { events: { type: string }[] }) => events.map(({ type }) => type);

  it('keeps a message until then, and delivers it at that time', {
    tags: [
      'send-request.scheduled-at',
      'service.scheduled-sends',
      'contract-sending.scheduled-at',
      'contract-sending.scheduled-status',
      'contract-messages.trail-types-scheduling',
      'contract-messages.single-read-scheduled-at',
    ],
  }, async () => {
    const at = ahead(2 * HOUR_MS);
    const sent = await server.send({ scheduled_at: at });
    expect([sent.status, sent.body.status]).toEqual([202, 'queued']);
    await server.pump();
    const waiting = await read(sent.body.id);
    expect(waiting).toMatchObject({ status: 'queued', scheduledAt: at, recipients: [{ status: 'queued' }] });
    expect(typesOf(waiting)).toEqual(['queued', 'scheduled']);
    server.clock.advance(2 * HOUR_MS - 30_000);
    await server.pump();
    expect((await read(sent.body.id)).status).toBe('queued');
    server.clock.advance(31_000);
    await server.pump();
    const settled = (await server.settled(sent.body.id)).body;
    expect(settled).toMatchObject({ status: 'delivered', scheduledAt: at });
    expect(typesOf(settled)).toEqual(['queued', 'scheduled', 'sent', 'delivered']);
  });

  it.each([
    ['PT2H', 2 * HOUR_MS],
    ['P1D', DAY_MS],
    ['P1DT30M', DAY_MS + 1_800_000],
    ['P2W', 14 * DAY_MS],
    ['P30D', 30 * DAY_MS],
    ['PT90S', 90_000],
    ['PT1.5H', 1.5 * HOUR_MS],
    ['P0,5D', DAY_MS / 2],
  ])('accepts the duration %s', { tags: ['contract-sending.scheduled-at'] }, async (given, ms) => {
    const sent = await server.send({ scheduled_at: given });
    expect(sent.status).toBe(202);
    const { scheduledAt, createdAt } = await read(sent.body.id);
    expect(Math.abs(Date.parse(scheduledAt) - Date.parse(createdAt) - ms)).toBeLessThan(5_000);
  });

  it('accepts any offset, and reads in UTC with milliseconds', async () => {
    const at = new Date(Math.floor((server.clock.now().getTime() + DAY_MS) / 1_000) * 1_000);
    const local = new Date(at.getTime() + 5.5 * HOUR_MS).toISOString().replace('.000Z', '+05:30');
    const sent = await server.send({ scheduled_at: local });
    expect((await read(sent.body.id)).scheduledAt).toBe(at.toISOString());
  });

  it('means now up to 60 seconds in the past, and is rejected further back', {
    tags: ['contract-sending.scheduled-at'],
  }, async () => {
    for (const given of [ahead(0), ahead(-55_000), 'PT0S']) {
      const sent = await server.send({ scheduled_at: given });
      expect(sent.status).toBe(202);
      const settled = (await server.settled(sent.body.id)).body;
      expect([settled.status, settled.scheduledAt, typesOf(settled)]).toEqual([
        'delivered',
        null,
        ['queued', 'sent', 'delivered'],
      ]);
    }
    for (const given of [ahead(-62_000), ahead(-DAY_MS), '1970-01-01T00:00:00Z']) {
      expectInvalid(await server.send({ scheduled_at: given }), ['scheduled_at', 'out_of_range']);
    }
  });

  it('is rejected more than 30 days ahead', { tags: ['contract-sending.scheduled-at'] }, async () => {
    expect((await server.send({ scheduled_at: ahead(30 * DAY_MS) })).status).toBe(202);
    for (const given of [ahead(30 * DAY_MS + 5_000), 'P31D', 'P5W', 'P2M', 'P1Y', 'P9999Y', '9999-12-31T23:59:59Z']) {
      expectInvalid(await server.send({ scheduled_at: given }), ['scheduled_at', 'out_of_range']);
    }
  });

  it.each([
    '2030-01-31T09:00:00',
    '2030-01-31',
    'tomorrow',
    '',
    'P',
    'PT',
    '-PT1H',
    'PT1.5H30M',
    'P1.5M',
    'PT.5H',
    'PT1.H',
    '2030-02-30T09:00:00Z',
    1_900_000_000,
  ])(
    'is rejected as %j: without an offset, or not a time',
    { tags: ['contract-sending.scheduled-at'] },
    async (given) => {
      const code = typeof given === 'string' ? 'invalid_format' : 'invalid_type';
      expectInvalid(await server.send({ scheduled_at: given }), ['scheduled_at', code]);
    },
  );

  it('is replayed under its idempotency key when the time has passed since', {
    tags: ['contract-idempotency.replayed'],
  }, async () => {
    const headers = { 'idempotency-key': 'later' };
    const body = { scheduled_at: ahead(30_000) };
    const first = await server.send(body, { headers });
    server.clock.advance(10 * 60_000);
    const second = await server.send(body, { headers });
    expect([second.status, second.body]).toEqual([202, first.body]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.headers.get('x-quota-remaining')).not.toBeNull();
    const other = await server.send({ ...body, subject: 'Another' }, { headers });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  it('gives every test address its outcome at that time, without a further wait', {
    tags: ['contract-test-addresses.deferred'],
  }, async () => {
    const outcomes = {
      'delivered+x': ['delivered', 'sent', 'delivered'],
      'DEFERRED+y': ['delivered', 'deferred', 'sent', 'delivered'],
      bounced: ['bounced', 'bounced'],
      'soft+z': ['bounced', 'bounced'],
      Blocked: ['bounced', 'bounced'],
      complained: ['complained', 'sent', 'delivered', 'complained'],
    };
    const sends = await Promise.all(
      Object.keys(outcomes).map((local) => server.send({ to: `${local}@sandbox.test`, scheduled_at: 'PT1H' })),
    );
    server.clock.advance(HOUR_MS + 1_000);
    await server.pump();
    const reads = await Promise.all(sends.map(async ({ body }) => (await server.settled(body.id)).body));
    const outcome = (message: { status: string; events: { type: string }[] }) => [
      message.status,
      ...typesOf(message).slice(2),
    ];
    expect(reads.map(outcome)).toEqual(Object.values(outcomes));
  });

  it('starts the retry period at that time', async () => {
    const { body } = await server.send({ to: 'a@example.com', scheduled_at: 'P3D' });
    const [row] = await server.database.sql`
      SELECT extract(epoch FROM expires_at - next_at)::int AS s FROM deliveries WHERE message_id = ${body.id}`;
    expect(row?.['s']).toBe(24 * 3_600);
  });
});
