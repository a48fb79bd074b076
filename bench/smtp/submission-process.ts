import { pino } from 'pino';
import { createApp } from '../../packages/server/src/app.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import type { DatabaseTarget } from '../../packages/server/src/db/client.ts';
import { boundHeapGrowth } from '../../packages/server/src/heap.ts';
import { TEST_SECRET_KEY } from '../../test/harness/template-database.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';

export interface SubmissionProcessSettings {
  readonly target: DatabaseTarget;
  readonly dataDir: string;
}

/** What both processes of this benchmark report when they are ready. */
export interface SubmissionProcessReady {
  readonly tlsPort: number;
}

/** The product with only the role `smtp`. */
boundHeapGrowth();
const settings = childSettings<SubmissionProcessSettings>();
const verdict = readConfig({
  POSTRIDER_DATA_DIR: settings.dataDir,
  POSTRIDER_ROLES: 'smtp',
  POSTRIDER_SMTP_PORT: '0',
  POSTRIDER_SMTPS_PORT: '0',
  POSTRIDER_INBOUND_PORT: '0',
  POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
  POSTRIDER_MONTHLY_QUOTA: '2000000000',
});
if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems));
const app = createApp({
  config: verdict.config,
  baseUrl: 'http://127.0.0.1:1',
  target: settings.target,
  logger: pino({ level: 'warn' }, pino.destination(2)),
  clock: systemClock,
  random: Math.random,
});
await app.start({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
const ready: SubmissionProcessReady = { tlsPort: app.smtp?.tlsPort ?? 0 };
serveParent(ready, () => Promise.resolve(ownUsage()));
