import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/server/src/clock.ts';
import { addPumpJob, takeSilentWorkers } from '../../packages/server/src/db/queries/maintenance.ts';
import { type JobWorker, startJobWorker } from '../../packages/server/src/jobs/worker.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

describe('the job worker', () => {
  let database: TestDatabase;
  let worker: JobWorker;
  /** What the next run of the job does, and a sign when it has begun. */
  let task: () => Promise<void> = () => Promise.resolve();
  let runs = 0;
  beforeAll(async () => {
    database = await createTestDatabase();
    worker = await startJobWorker({
      sql: database.sql,
      target: database.target,
      clock: systemClock,
      logger: pino({ level: 'silent' }),
      tasks: {
        'deliver:pump': async () => {
          runs += 1;
          await task();
        },
      },
    });
  });
  afterAll(async () => {
    await worker.stop();
    await database.drop();
  });

  const until = { timeout: 15_000, interval: 20 };
  const addJob = (key: string) => addPumpJob(database.sql, key, new Date(Date.now() - 1_000));

  it('runs what is added', async () => {
    await addJob('one');
    await expect.poll(() => runs, until).toBe(1);
    expect(worker.fault()).toBeNull();
  });

  it('outlives a database that is lost just when a job ends, says so, and goes on once it is back', async () => {
    const { sql } = database;
    task = async () => {
      await sql`ALTER TABLE graphile_worker._private_jobs RENAME TO hidden_jobs`;
    };
    await addJob('two');
    await expect.poll(() => worker.fault(), until).toMatch(/queue restarts/);
    task = () => Promise.resolve();
    await sql`ALTER TABLE graphile_worker.hidden_jobs RENAME TO _private_jobs`;
    await expect.poll(() => worker.fault(), until).toBeNull();
    const before = runs;
    await addJob('three');
    await expect.poll(() => runs, until).toBeGreaterThan(before);
  });

  it('is known to the fleet as living until its heart has been silent', async () => {
    const { sql } = database;
    await sql`INSERT INTO worker_heartbeats (worker_id, seen_at) VALUES ('dead', now() - interval '31 s'), ('alive', now())`;
    expect(await takeSilentWorkers(sql, new Date(Date.now() - 30_000))).toEqual(['dead']);
    expect(await takeSilentWorkers(sql, new Date(Date.now() - 30_000))).toEqual([]);
  });
});
