import { createRequire } from 'node:module';
import type { DatabaseTarget } from '../../packages/server/src/db/client.ts';
import { createPlanRenewal, openDatabase } from '../../packages/server/src/db/client.ts';
import { CONNECTIONS } from '../../packages/server/src/db/connection-counts.ts';
import { boundHeapGrowth } from '../../packages/server/src/heap.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { createOutboundClient } from '../../packages/server/src/outbound/outbound-client.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { createDispatcher } from '../../packages/server/src/webhooks/dispatcher.ts';
import { createWebhookSecret, signWebhook, toSigningKey } from '../../packages/server/src/webhooks/sign-webhook.ts';
import { tagged } from '../../test/harness/tagged.ts';
import { TEST_SECRET_KEY } from '../../test/harness/template-database.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';

export interface DispatchSettings {
  readonly target: DatabaseTarget;
  readonly url: string;
  readonly inFlight: number;
}

/** What is measured: the product's dispatcher on queued events, or a loop that only signs and posts. */
export interface DispatchQuestion {
  readonly by: 'dispatcher' | 'bare';
  readonly count: number;
}

/** The parts used here. It is the server's own copy, so that both sides post with the same code. */
interface Undici {
  readonly Agent: new (options: {
    readonly connections: number;
    readonly allowH2: boolean;
  }) => {
    request(options: object): Promise<{ readonly body: { dump(): Promise<void> } }>;
    close(): Promise<void>;
  };
}
const undici: Undici = createRequire(new URL('../../packages/server/package.json', import.meta.url))('undici');

boundHeapGrowth();
const { target, url, inFlight } = childSettings<DispatchSettings>();
const sql = tagged(openDatabase({ target, maxConnections: 4, applicationName: 'postrider-worker' }));
const queueSql = openDatabase({
  target,
  maxConnections: CONNECTIONS.webhooks,
  applicationName: 'postrider-worker',
  keepPlans: true,
});
const client = createOutboundClient({
  allowLoopback: true,
  resolve: () => Promise.reject(new Error('nothing is looked up here')),
  userAgent: 'Postrider/bench',
  connectionsPerOrigin: 256,
});
const dispatcher = createDispatcher({
  ...{
    sql,
    queueSql,
    client,
    clock: { now: () => new Date() },
    ids: createIdGenerator(),
    box: createSecretBox(TEST_SECRET_KEY),
  },
  renewPlans: createPlanRenewal(queueSql, CONNECTIONS.webhooks),
  random: Math.random,
  onError: (error, what) => console.error(what, error),
});

serveParent({}, async (question) => {
  const { by, count } = question as DispatchQuestion; // Sent by the parent.
  const before = ownUsage();
  if (by === 'bare') await postBare(count);
  else await dispatch();
  const { cpuMs, rssMb } = ownUsage();
  return { cpuMs: cpuMs - before.cpuMs, rssMb };
});

/** A dispatcher can pause with deliveries left while its attempts are recorded. The server wakes it four times a second. */
async function dispatch(): Promise<void> {
  let isLeft = true;
  while (isLeft) {
    await dispatcher.pump();
    await dispatcher.idle();
    const [row] = await sql<{ left: boolean }[]>`SELECT EXISTS (SELECT FROM webhook_deliveries) AS left`;
    isLeft = row?.left === true;
  }
}

async function postBare(count: number): Promise<void> {
  const rows = await sql<
    { id: string; body: string }[]
  >`SELECT id, body FROM webhook_events ORDER BY id LIMIT ${count}`;
  const keys = [toSigningKey(createWebhookSecret())];
  const { origin, pathname: path } = new URL(url);
  const agent = new undici.Agent({ connections: inFlight, allowH2: false });
  let next = 0;
  async function worker(): Promise<void> {
    for (let row = rows[next++]; row !== undefined; row = rows[next++]) {
      const { id, body } = row;
      const headers = { 'content-type': 'application/json', ...signWebhook({ id, body, keys, now: new Date() }) };
      const response = await agent.request({ origin, path, method: 'POST', headers, body });
      await response.body.dump();
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker));
  await agent.close();
}
