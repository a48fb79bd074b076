import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClaimedDelivery,
  claimDeliveries,
  markSending,
} from '../../packages/server/src/db/queries/claim-deliveries.ts';
import { lockReportedMessage } from '../../packages/server/src/db/queries/inbound-reports.ts';
import { releaseDeliveries, writeOutcomes } from '../../packages/server/src/db/queries/record-outcomes.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const LEASE = '11111111-1111-4111-8111-111111111111';

describe('the status of a message during an attempt', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  async function sendAndClaim() {
    const { sql } = server.database;
    await sql`DELETE FROM deliveries`;
    const { body } = await server.send({ to: 'ann@example.com' });
    const limits = { limit: 1, perAccount: 1, afterAccount: '00000000-0000-0000-0000-000000000000', maxAccounts: 1 };
    const now = server.clock.now();
    const [claim] = await claimDeliveries(sql, {
      leaseId: LEASE,
      now,
      leaseUntil: new Date(now.getTime() + 60_000),
      ...limits,
    });
    if (claim === undefined) throw new Error('nothing was claimed');
    return { id: body.id as string, claim };
  }

  const statuses = async (id: string) => {
    const { status, recipients } = (await server.call('GET', `/emails/${id}`)).body;
    return [status, ...recipients.map((recipient: { status: string }) => recipient.status)];
  };
  const mark = ({ accountId, id, attempt }: ClaimedDelivery) =>
    markSending(server.database.sql, [{ accountId, id, leaseId: LEASE, attempt }]);
  const fenceOf = ({ accountId, id: deliveryId, messageId, attempt }: ClaimedDelivery) => {
    return { accountId, deliveryId, messageId, leaseId: LEASE, attempt };
  };

  async function defer({ accountId, id, messageId, attempt }: ClaimedDelivery): Promise<void> {
    const attempts = [
      {
        ...{
          o: 0,
          account: accountId,
          delivery: id,
          message: messageId,
          lease: LEASE,
          attempt,
          uncounted: 0,
          seen: null,
        },
        ...{
          status: 'deferred' as const,
          events: 0,
          error: null,
          next_at: server.clock.now().toISOString(),
          ordinals: '{0}',
        },
      },
    ];
    await writeOutcomes(server.database.sql, {
      attempts,
      recipients: [{ of: 0, ordinal: 0, state: 'deferred' as const }],
      events: [],
    });
  }

  it('becomes sending during the attempt, and reverts when the attempt is released', async () => {
    const { id, claim } = await sendAndClaim();
    expect(await statuses(id)).toEqual(['queued', 'queued']);
    await mark(claim);
    expect(await statuses(id)).toEqual(['sending', 'sending']);
    await releaseDeliveries(server.database.sql, [fenceOf(claim)], server.clock.now());
    expect(await statuses(id)).toEqual(['queued', 'queued']);
  });

  it('does not change after the outcome is recorded', async () => {
    const { id, claim } = await sendAndClaim();
    await defer(claim);
    await mark(claim);
    expect(await statuses(id)).toEqual(['deferred', 'deferred']);
  });

  it('counts as sending for a report, even if a short attempt is not shown', async () => {
    const { id, claim } = await sendAndClaim();
    const read = async () => {
      const rows = await lockReportedMessage(server.database.sql, { accountId: claim.accountId, messageId: id });
      return rows.map(({ status }) => status);
    };
    expect(await read()).toEqual(['sending']);
    await defer(claim);
    expect(await read()).toEqual(['deferred']);
  });
});
