import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClaimedDelivery,
  claimDeliveries,
  markSending,
  requeueDeliveries,
} from '../../packages/server/src/db/queries/claim-deliveries.ts';
import { lockReportedMessage } from '../../packages/server/src/db/queries/inbound-reports.ts';
import {
  releaseDeliveries,
  takeLeasesOf,
  writeOutcomes,
} from '../../packages/server/src/db/queries/record-outcomes.ts';
import { findLostDeliveries, freeLostDeliveries } from '../../packages/server/src/db/queries/stuck-messages.ts';
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

  /** What is left when a process ends during its first attempt, before that is shown. */
  const lostAttempts = {
    'is found by its journal': async () => {
      expect(await takeLeasesOf(server.database.sql, [LEASE], server.clock.now())).toBe(1);
    },
    'has a lease that ends too late': async () => {
      const { sql } = server.database;
      await sql`UPDATE deliveries SET next_at = next_at + interval '7 days'`;
      const lost = { now: server.clock.now(), longestLeaseMs: 60_000 };
      for (const found of await findLostDeliveries(sql, { ...lost, limit: 9 })) {
        expect(await freeLostDeliveries(sql, { ...lost, ...found })).toBe(1);
      }
    },
    'is claimed by another process, which puts it off': async ({ accountId, id }: ClaimedDelivery) => {
      const { sql } = server.database;
      await sql`UPDATE deliveries SET attempt = 2`;
      await requeueDeliveries(sql, [{ accountId, id, leaseId: LEASE, nextAt: server.clock.now() }]);
    },
    'is claimed by another process, which shuts down': async (claim: ClaimedDelivery) => {
      const { sql } = server.database;
      await sql`UPDATE deliveries SET attempt = 2`;
      await releaseDeliveries(sql, [fenceOf(claim)], server.clock.now());
    },
  };

  it.each(Object.keys(lostAttempts) as (keyof typeof lostAttempts)[])(
    'cannot be canceled after an attempt whose process is gone and that %s',
    async (how) => {
      const { id, claim } = await sendAndClaim();
      await lostAttempts[how](claim);
      expect(await server.database.sql`SELECT lease_id FROM deliveries`).toEqual([{ lease_id: null }]);
      expect((await server.call('POST', `/emails/${id}/cancel`)).status).toBe(409);
      expect(['sending', 'deferred']).toContain((await statuses(id))[1]);
    },
  );

  it('can be canceled when its first attempt was put off before it began', async () => {
    const { id, claim } = await sendAndClaim();
    const lease = { accountId: claim.accountId, id: claim.id, leaseId: LEASE, nextAt: server.clock.now() };
    await requeueDeliveries(server.database.sql, [lease]);
    expect(await statuses(id)).toEqual(['queued', 'queued']);
    expect((await server.call('POST', `/emails/${id}/cancel`)).status).toBe(200);
  });

  it('cannot be canceled while an expired lease waits for the next worker', async () => {
    const { id } = await sendAndClaim();
    await server.database.sql`UPDATE deliveries SET next_at = now() - interval '1 day'`;
    expect((await server.call('POST', `/emails/${id}/cancel`)).status).toBe(409);
  });
});
