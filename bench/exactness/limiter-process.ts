import { setTimeout as pause } from 'node:timers/promises';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { createKeyRates, type KeyRates } from '../../packages/server/src/keys/key-rates.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';

export interface LimiterSettings {
  readonly target: DatabaseTarget;
  readonly accountId: string;
  readonly keyIds: readonly string[];
  readonly rateLimit: number;
}

export interface LimiterQuestion {
  readonly requests: number;
  readonly perSecond: number;
  /** How many of the keys make requests, in turn; 0 keeps the same pace without counting. */
  readonly keys: number;
}

export interface LimiterResponse {
  readonly cpuMs: number;
  readonly refused: number;
}

/** Counts requests at a steady pace and does nothing else, so that its processor time is that of the limiter and of keeping the pace. */
const settings = childSettings<LimiterSettings>();
// The same pool settings as in the product.
const sql = openDatabase({
  target: settings.target,
  maxConnections: 1,
  applicationName: 'bench-limiter',
  keepPlans: true,
  durable: false,
  deadlineMs: 1_500,
});
const rates = createKeyRates(sql);
process.on('SIGTERM', () => void rates.close().then(() => process.exit(0)));
serveParent({}, (question) => run(question as LimiterQuestion));

async function run({ requests, perSecond, keys }: LimiterQuestion): Promise<LimiterResponse> {
  const before = ownUsage().cpuMs;
  const beganMs = performance.now();
  const asked: Promise<boolean>[] = [];
  while (asked.length < requests) {
    const due = Math.min(requests, Math.ceil(((performance.now() - beganMs) / 1_000) * perSecond));
    while (asked.length < due) asked.push(countOne(rates, asked.length, keys));
    await pause(1);
  }
  const refused = (await Promise.all(asked)).filter((ok) => !ok).length;
  return { cpuMs: ownUsage().cpuMs - before, refused };
}

async function countOne(limiter: KeyRates, number: number, keys: number): Promise<boolean> {
  if (keys === 0) return await Promise.resolve(true);
  const keyId = settings.keyIds[number % keys] ?? '';
  return (await limiter.take({ accountId: settings.accountId, keyId, rateLimit: settings.rateLimit })).ok;
}
