import { type Logger, pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/server/src/clock.ts';
import { addPumpJob } from '../../packages/server/src/db/queries/maintenance.ts';
import { type JobWorker, startJobWorker } from '../../packages/server/src/jobs/worker.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

describe('the job worker', () => {
  let database: TestDatabase;
  let worker: JobWorker;
  /** What the next run of the job does, and a sign when it has begun. */
  let task: () => Promise<void> = () => Promise.resolve();
  let runs = 0;
  /** What was wrong with the worker whenever it said that it restarts: it does so at once, and all may be well again a moment later. */
  const faults: (string | null)[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    const write = (line: string) => void (line.includes('queue restarts') && faults.push(worker.fault()));
    worker = await start({ logger: pino({ level: 'warn' }, { write }) });
  });
  afterAll(async () => {
    await worker.stop();
    await database.drop();
  });

  const start = (given: { readonly database?: TestDatabase; readonly logger?: Logger } = {}): Promise<JobWorker> =>
    startJobWorker({
      sql: (given.database ?? database).sql,
      target: (given.database ?? database).target,
      clock: systemClock,
      logger: given.logger ?? pino({ level: 'silent' }),
      tasks: {
        'deliver:pump': async () => {
          runs += 1;
          await task();
        },
      },
    });

  const until = { timeout: 15_000, interval: 20 };
  const addJob = (key: string) => addPumpJob(database.sql, key, new Date(Date.now() - 1_000));

  it('runs what is added', async () => {
    await addJob('one');
    await expect.poll(() => runs, until).toBe(1);
    expect(worker.fault()).toBeNull();
  });

  it('survives a lost database at the end of a job, reports it, and continues once it is back', async () => {
    const { sql } = database;
    // The lock may take longer than a statement is given, and a job that fails is tried again only after seconds.
    const hide = (tries: number): Promise<unknown> =>
      sql`ALTER TABLE graphile_worker._private_jobs RENAME TO hidden_jobs`.catch((error: unknown) => {
        if (tries === 0) throw error;
        return hide(tries - 1);
      });
    task = async () => void (await hide(5));
    await addJob('two');
    await expect.poll(() => faults, until).toContainEqual(expect.stringMatching(/queue restarts/));
    task = () => Promise.resolve();
    await sql`ALTER TABLE graphile_worker.hidden_jobs RENAME TO _private_jobs`;
    await expect.poll(() => worker.fault(), until).toBeNull();
    const before = runs;
    await addJob('three');
    await expect.poll(() => runs, until).toBeGreaterThan(before);
  });

  const beating = async () =>
    (await database.sql`SELECT worker_id FROM worker_heartbeats`).map(({ worker_id }) => String(worker_id));

  it('is registered from its start, and leaves nothing behind at its end', async () => {
    const { sql } = database;
    await sql`DELETE FROM worker_heartbeats`;
    const other = await start();
    // Before the first interval is over.
    await expect.poll(beating, { timeout: 5_000, interval: 10 }).not.toEqual([]);
    await other.stop();
    expect(await beating()).toEqual([]);
  });

  /** A job of a worker whose last heartbeat was half a minute ago. */
  async function addJobOfDeadWorker(key: string): Promise<void> {
    const { sql } = database;
    await sql.begin(async (transaction) => {
      await addPumpJob(transaction, key, new Date(Date.now() - 1_000));
      await transaction`UPDATE graphile_worker._private_jobs SET locked_by = 'dead', locked_at = now() WHERE key = ${key}`;
      await transaction`INSERT INTO worker_heartbeats (worker_id, seen_at) VALUES ('dead', now() - interval '31 s')`;
    });
  }

  it('takes over the jobs of a silent worker, and none of a live one', async () => {
    const { sql } = database;
    await addJobOfDeadWorker('of the dead');
    await addPumpJob(sql, 'of the living', new Date(Date.now() + 3_600_000));
    await sql`UPDATE graphile_worker._private_jobs SET locked_by = 'alive', locked_at = now() WHERE key = 'of the living'`;
    await sql`INSERT INTO worker_heartbeats (worker_id, seen_at) VALUES ('alive', now() - interval '20 s')`;
    const before = runs;
    const other = await start();
    await expect.poll(() => runs, until).toBe(before + 1);
    await expect.poll(beating, until).not.toContain('dead');
    expect(await beating()).toContain('alive');
    const [job] = await sql`SELECT locked_by FROM graphile_worker._private_jobs WHERE key = 'of the living'`;
    expect(job?.['locked_by']).toBe('alive');
    await other.stop();
  });

  it('forgets a silent worker only when its jobs are free, after any failure in between', async () => {
    const { sql } = database;
    await sql`ALTER FUNCTION graphile_worker.force_unlock_workers(text[]) RENAME TO hidden_unlock`;
    await addJobOfDeadWorker('in between');
    const before = runs;
    const failed = Promise.withResolvers<void>();
    const write = (line: string) => void (line.includes('heartbeat failed') && failed.resolve());
    const first = await start({ logger: pino({ level: 'debug' }, { write }) });
    await failed.promise;
    expect(await beating()).toContain('dead');
    await first.stop();
    await sql`ALTER FUNCTION graphile_worker.hidden_unlock(text[]) RENAME TO force_unlock_workers`;
    const second = await start();
    await expect.poll(() => runs, until).toBe(before + 1);
    await expect.poll(beating, until).not.toContain('dead');
    await second.stop();
  });

  it('that cannot start leaves no connection behind', async () => {
    const broken = await createTestDatabase();
    await broken.sql`ALTER TABLE graphile_worker.migrations RENAME TO hidden_migrations`;
    await expect(start({ database: broken })).rejects.toThrow(/already exists/);
    const connections = () =>
      broken.sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'tests'`;
    await expect.poll(connections, until).toHaveLength(0);
    await broken.drop();
  });
});
