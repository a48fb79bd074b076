import { pino } from 'pino';
import { createApp } from '../../packages/server/src/app.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import type { DatabaseTarget } from '../../packages/server/src/db/client.ts';
import { boundHeapGrowth } from '../../packages/server/src/heap.ts';
import { TEST_SECRET_KEY } from '../../test/harness/template-database.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';

export interface PostriderSettings {
  readonly target: DatabaseTarget;
  readonly port: number;
  readonly dataDir: string;
  readonly roles: string;
  readonly transport: string;
}

/** The product's server in its own process, apart from the load generators and databases. */
boundHeapGrowth();
const settings = childSettings<PostriderSettings>();
const verdict = readConfig({
  POSTRIDER_DATA_DIR: settings.dataDir,
  POSTRIDER_ROLES: settings.roles,
  POSTRIDER_TRANSPORT: settings.transport,
  POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
  POSTRIDER_MONTHLY_QUOTA: '2000000000',
});
if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems));
const baseUrl = `http://127.0.0.1:${settings.port}`;
const app = createApp({
  config: verdict.config,
  baseUrl,
  target: settings.target,
  logger: pino({ level: 'warn' }, pino.destination(2)),
  clock: systemClock,
  random: Math.random,
});
await app.start({ host: '127.0.0.1', port: settings.port });
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
serveParent({ baseUrl }, () => Promise.resolve(ownUsage()));
