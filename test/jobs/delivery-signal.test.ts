import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDeliverySignal, type DeliverySignal } from '../../packages/server/src/jobs/delivery-signal.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('the wake-up after a commit', () => {
  let server: TestApp;
  let signal: DeliverySignal | null = null;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterEach(() => signal?.close());
  afterAll(() => server.close());

  function open(wakeHere: () => boolean): DeliverySignal {
    const { clock } = server;
    const fail = (error: unknown) => {
      throw error;
    };
    signal = createDeliverySignal({ sql: server.database.sql, clock, wakeHere, onError: fail });
    return signal;
  }

  const countJobs = async () => {
    const [row] = await server.database.sql`
      SELECT count(*)::int AS n FROM graphile_worker.jobs WHERE task_identifier = 'deliver:pump'`;
    return row?.['n'];
  };

  it('is one call for many commits close together, without a job if this process delivers', async () => {
    const before = await countJobs();
    let wakes = 0;
    const { wake } = open(() => {
      wakes += 1;
      return true;
    });
    for (let n = 0; n < 10; n += 1) wake();
    await expect.poll(() => wakes).toBe(1);
    expect(await countJobs()).toBe(before);
  });

  it('is at most one job in 50 ms, and the last commit gets one too', async () => {
    await server.database.sql`DELETE FROM graphile_worker._private_jobs`;
    let asked = 0;
    const { wake } = open(() => {
      asked += 1;
      return false;
    });
    const beganMs = performance.now();
    for (let n = 0; n < 8; n += 1) {
      wake();
      await pause(20);
    }
    const most = Math.ceil((performance.now() - beganMs) / 50) + 1;
    await expect.poll(countJobs).toBeGreaterThanOrEqual(1);
    const before = asked;
    wake();
    await expect.poll(() => asked).toBeGreaterThan(before);
    expect(await countJobs()).toBeLessThanOrEqual(Math.min(4, most));
  });

  it('is a job for another process if this one has no worker, or its worker is busy', async () => {
    await server.database.sql`DELETE FROM graphile_worker._private_jobs`;
    open(() => false).wake();
    await expect.poll(countJobs).toBe(1);
  });
});
