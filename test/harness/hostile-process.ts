import { pino } from 'pino';
import { childSettings, serveParent } from '../../bench/parts/child.ts';
import { createApp } from '../../packages/server/src/app.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import type { DatabaseTarget } from '../../packages/server/src/db/client.ts';
import { boundHeapGrowth } from '../../packages/server/src/heap.ts';
import { TEST_SECRET_KEY } from './template-database.ts';

export interface HostileProcessSettings {
  readonly target: DatabaseTarget;
  readonly dataDir: string;
  readonly port: number;
}

export interface HostileProcessReady {
  readonly pid: number;
  readonly smtpsPort: number;
}

/** The whole product in one process, like a small installation. */
boundHeapGrowth();
const settings = childSettings<HostileProcessSettings>();
const verdict = readConfig({
  POSTRIDER_DATA_DIR: settings.dataDir,
  POSTRIDER_ROLES: 'api,worker,smtp',
  POSTRIDER_SMTP_PORT: '0',
  POSTRIDER_SMTPS_PORT: '0',
  POSTRIDER_INBOUND_PORT: '0',
  // Mail is only sent to the sandbox.
  POSTRIDER_TRANSPORT: 'smtp://127.0.0.1:1?tls=none',
  POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
  POSTRIDER_MONTHLY_QUOTA: '2000000000',
});
if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems));
const app = createApp({
  config: verdict.config,
  baseUrl: `http://127.0.0.1:${settings.port}`,
  target: settings.target,
  logger: pino({ level: 'error' }, pino.destination(2)),
  clock: systemClock,
  random: Math.random,
});
const takeLongestBlock = watchBlocks();
await app.start({ host: '127.0.0.1', port: settings.port });
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
const ready: HostileProcessReady = { pid: process.pid, smtpsPort: app.smtp?.tlsPort ?? 0 };
serveParent(ready, () => Promise.resolve(takeLongestBlock()));

/**
 * The longest time the event loop was blocked since the last call, in milliseconds of this thread's processor time: how long others would
 * wait on an idle machine. A late timer shows how much work ran since it was last on time.
 */
function watchBlocks(): () => number {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (user + system) / 1_000);
  }, 1).unref();
  return () => {
    const taken = longestMs;
    longestMs = 0;
    return taken;
  };
}
