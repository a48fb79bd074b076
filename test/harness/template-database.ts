import { systemClock } from '../../packages/server/src/clock.ts';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { migrate } from '../../packages/server/src/db/migrate.ts';
import { ensurePartitions } from '../../packages/server/src/db/queries/partitions.ts';
import { migrateQueue } from '../../packages/server/src/jobs/worker.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { ensureSandboxDomain } from '../../packages/server/src/sending-domains/sandbox-domain.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';

export const TEMPLATE_DATABASE = 'postrider_template';

/** The key that encrypts secrets in tests. */
export const TEST_SECRET_KEY = Buffer.alloc(32, 7);

/** Prepares a new database as a server's start does. */
export async function prepareTemplate(target: DatabaseTarget): Promise<void> {
  const sql = openDatabase({ target, maxConnections: 1, applicationName: 'tests' });
  await migrate(sql);
  await migrateQueue(target);
  await ensurePartitions(sql, systemClock.now());
  const secrets = createSecretBox(TEST_SECRET_KEY);
  await ensureSandboxDomain({ sql, clock: systemClock, ids: createIdGenerator(), secrets }, 'sandbox.test');
  await sql.end();
}
