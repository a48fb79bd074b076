import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../harness/seeded-random.ts';
import { type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';

const RACES = process.env['FAULTS'] === 'long' ? 5_000 : 400;
const ROUND = 100;
const HOUR_MS = 3_600_000;

/**
 * Messages fall due all at once in front of two processes' workers, and at that moment each is canceled over both. Anyone who has a message's
 * rows first wins: it is canceled and no copy leaves, or it is sent and the cancel is refused.
 */
describe('canceling against sending (invariant I6)', () => {
  let sink: SmtpSink;
  let one: TestApp;
  let two: TestApp;
  beforeAll(async () => {
    sink = await startSmtpSink();
    const settings = { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` };
    one = await startTestApp({ settings });
    two = await startTestApp({ settings, database: one.database });
  });
  afterAll(async () => {
    await two.close();
    await one.close();
    await sink.close();
  });

  it(`has exactly one winner in each of ${RACES} races: never both, never neither`, {
    timeout: 900_000,
  }, async () => {
    const { key, accountId } = await one.newAccount('Races');
    const random = seededRandom('cancel against send');
    let canceled = 0;
    for (let done = 0; done < RACES; done += ROUND) {
      const ids = await schedule(key, done);
      const responses = await race(ids, key, random.integer(0, ROUND - 20));
      const reads = await Promise.all(
        ids.map(async (id) => {
          const { status, body } = await one.call('GET', `/emails/${id}?wait=20`, { key });
          expect([status, body]).toEqual([200, expect.objectContaining({ id })]);
          return body;
        }),
      );
      for (const [index, id] of ids.entries()) {
        const { status, body } = responses[index] ?? { status: 0, body: null };
        const events = reads[index].events.map(({ type }: { type: string }) => type);
        const copies = sink.messages.filter(({ recipients }) => recipients.includes(addressOf(done + index))).length;
        expect({ id, response: [status, body.code], now: reads[index].status, events, copies }).toEqual(
          status === 200
            ? {
                id,
                response: [200, undefined],
                now: 'canceled',
                events: ['queued', 'scheduled', 'canceled'],
                copies: 0,
              }
            : {
                id,
                response: [409, 'message_not_queued'],
                now: 'sent',
                events: ['queued', 'scheduled', 'sent'],
                copies: 1,
              },
        );
        canceled += status === 200 ? 1 : 0;
      }
    }
    console.log(`cancel against send: ${canceled} canceled, ${RACES - canceled} sent`);
    // Both must have had their share, or nothing was raced for.
    expect(canceled).toBeGreaterThan(0);
    expect(canceled).toBeLessThan(RACES);
    expect(sink.messages).toHaveLength(RACES - canceled);
    expect((await one.call('GET', '/keys/self', { key })).body.quota.used).toBe(RACES - canceled);
    expect(await one.database.sql`SELECT 1 FROM deliveries WHERE account_id = ${accountId}`).toHaveLength(0);
  });

  const addressOf = (number: number) => `race-${number}@example.com`;

  async function schedule(key: string, from: number): Promise<string[]> {
    const emails = Array.from({ length: ROUND }, (_, index) => {
      const content = { subject: 'Race', text: 'x', scheduled_at: 'PT1H' };
      return { from: 'a@sandbox.test', to: addressOf(from + index), ...content };
    });
    const { body } = await one.call('POST', '/emails/batch', { key, body: { emails } });
    return body.results.map(({ id }: { id: string }) => id);
  }

  /** All are canceled over both processes; after so many responses, all fall due, and the workers start on the rest. */
  async function race(ids: readonly string[], key: string, headStart: number): Promise<readonly TestResponse[]> {
    const begun = Promise.withResolvers<void>();
    let responded = 0;
    const cancels = ids.map(async (id, index) => {
      const response = await cancelForSure(index % 2 ? one : two, id, key);
      responded += 1;
      if (responded >= headStart) begun.resolve();
      return response;
    });
    if (headStart > 0) await begun.promise;
    for (const server of [one, two]) server.clock.advance(HOUR_MS + 1_000);
    await Promise.all([one.pump(), two.pump()]);
    return await Promise.all(cancels);
  }

  /**
   * A machine that is short of time can leave a call without its response in time: 503, which says that nothing is known. As a caller would, it is
   * asked again until something is; canceled before means then that the first call was carried out.
   */
  async function cancelForSure(server: TestApp, id: string, key: string): Promise<TestResponse> {
    for (let calls = 1; ; calls += 1) {
      const response = await server.call('POST', `/emails/${id}/cancel`, { key });
      if (response.status !== 503) {
        const isOwn = calls > 1 && response.body.currentStatus === 'canceled';
        return isOwn ? { ...response, status: 200, body: { id, status: 'canceled' } } : response;
      }
    }
  }
});
