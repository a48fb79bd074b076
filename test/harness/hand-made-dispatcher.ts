import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import type { DatabaseTarget, Sql } from '../../packages/server/src/db/client.ts';
import { readEndpoint } from '../../packages/server/src/db/queries/webhook-endpoints.ts';
import { announce } from '../../packages/server/src/events/announce.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import {
  createOutboundClient,
  type OutboundClientOptions,
} from '../../packages/server/src/outbound/outbound-client.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
} from '../../packages/server/src/webhooks/dispatcher.ts';
import { toWebhook } from '../../packages/server/src/webhooks/endpoint-record.ts';
import { makeEndpoint } from '../../packages/server/src/webhooks/manage-endpoints.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import type { TaggedSql } from './tagged.ts';
import { TEST_SECRET_KEY } from './template-database.ts';
import { createTestDatabase } from './test-database.ts';

/** A dispatcher on its own database, without a server: nothing happens unless the test requests it. */
export interface HandMadeDispatcher {
  readonly target: DatabaseTarget;
  readonly sql: TaggedSql;
  readonly clock: FakeClock;
  readonly accountId: string;
  readonly dispatcher: Dispatcher;
  /** Errors in the background. */
  readonly faults: readonly unknown[];
  /** Creates an endpoint of the account and returns its id. */
  endpoint(url: string): Promise<string>;
  /** Queues this many events for an endpoint. */
  events(endpointId: string, count?: number): Promise<readonly string[]>;
  /** Another process of the fleet, with its own way to the database if the test passes one. */
  another(through?: Sql, queue?: QueuePool): Dispatcher;
  /** The attempts at an endpoint, oldest first. */
  // Tests read any column; their assertions check it.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  attempts(endpointId: string): Promise<readonly any[]>;
  close(): Promise<void>;
}

export type QueuePool = Pick<DispatcherOptions, 'queueSql' | 'renewPlans'>;

export async function startHandMadeDispatcher(
  options: Partial<OutboundClientOptions> & { readonly maxInFlight?: number } = {},
): Promise<HandMadeDispatcher> {
  const { maxInFlight, ...outbound } = options;
  const database = await createTestDatabase();
  const clock = createFakeClock();
  const ids = createIdGenerator();
  const { sql } = database;
  const box = createSecretBox(TEST_SECRET_KEY);
  const { accountId } = await createAccount({ sql, clock, ids }, { name: 'Acme', ownerEmail: 'owner@sandbox.test' });
  const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]);
  const client = createOutboundClient({
    allowLoopback: true,
    resolve,
    userAgent: 'Postrider/0',
    connectionsPerOrigin: 256,
    ...outbound,
  });
  const faults: unknown[] = [];
  const dispatchers: Dispatcher[] = [];
  const another = (through: Sql = sql, queue: QueuePool = { queueSql: through, renewPlans: async () => undefined }) => {
    const made = createDispatcher({
      ...queue,
      ...{ sql: through, clock, ids, box, client, random: () => 0.5, onError: (error) => void faults.push(error) },
      ...(maxInFlight === undefined ? {} : { maxInFlight }),
    });
    dispatchers.push(made);
    return made;
  };
  const tools = { sql, clock, ids, webhooks: { secrets: box, policy: { allowLoopback: true } } };
  return {
    ...{ target: database.target, sql, clock, accountId, faults, another, dispatcher: another() },
    async endpoint(url) {
      const made = await makeEndpoint(tools, { accountId, keyId: 'operator', user: {} }, { url });
      if (made.kind !== 'done') throw new Error(made.kind);
      return made.row.id;
    },
    async events(endpointId, count = 1) {
      const row = await readEndpoint(sql, accountId, endpointId);
      if (row === null) throw new Error('no endpoint');
      const event = { accountId, type: 'webhook.test', data: toWebhook(row), endpointId } as const;
      return await announce(
        sql,
        ids,
        Array.from({ length: count }, () => event),
        clock.now(),
      );
    },
    attempts: (endpointId) => sql`SELECT * FROM webhook_attempts WHERE endpoint_id = ${endpointId} ORDER BY id`,
    async close() {
      await Promise.all(dispatchers.map((each) => each.stop(500)));
      await client.close();
      await database.drop();
    },
  };
}
