import { startEmbeddedPostgres } from '../../packages/server/src/postgres/embedded-postgres.ts';

/**
 * A process that owns a data directory's PostgreSQL until it is killed, for the tests that kill it. It reports to its parent
 * what happens.
 */
const dataDir = process.argv[2] ?? '';

const started = await startEmbeddedPostgres({
  dataDir,
  settings: { fsync: 'off' },
  onProgress: (text) => process.send?.({ progress: text }),
});
process.send?.({ connection: started.connection });
