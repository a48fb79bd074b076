import { pino } from 'pino';
import { createApp } from '../../packages/server/src/app.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import type { DatabaseTarget } from '../../packages/server/src/db/client.ts';
import { boundHeapGrowth } from '../../packages/server/src/heap.ts';
import { TEST_SECRET_KEY } from '../../test/harness/template-database.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';

export interface WorkerSettings {
  readonly target: DatabaseTarget;
  readonly port: number;
  readonly dataDir: string;
}

/** Requests of the parent: move the clock ahead by this many milliseconds (0: not at all), and report the resource usage. */
export interface WorkerQuestion {
  readonly advanceMs: number;
}

/** The product's server in its own process, with a clock that can be moved ahead, so that a retry after a day needs no waiting. */
boundHeapGrowth();
const settings = childSettings<WorkerSettings>();
const verdict = readConfig({
  POSTRIDER_DATA_DIR: settings.dataDir,
  POSTRIDER_ROLES: 'api,worker',
  POSTRIDER_TRANSPORT: 'capture',
  POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
});
if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems));
const baseUrl = `http://127.0.0.1:${settings.port}`;
let aheadMs = 0;
const app = createApp({
  config: verdict.config,
  baseUrl,
  target: settings.target,
  logger: pino({ level: 'warn' }, pino.destination(2)),
  clock: { now: () => new Date(Date.now() + aheadMs) },
  random: Math.random,
});
await app.start({ host: '127.0.0.1', port: settings.port });
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
serveParent({ baseUrl }, (question) => {
  aheadMs += (question as WorkerQuestion).advanceMs; // Sent by the parent.
  return Promise.resolve(ownUsage());
});
