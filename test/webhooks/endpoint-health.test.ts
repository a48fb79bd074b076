import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import type { Sql } from '../../packages/server/src/db/client.ts';

import type { BeginArguments } from '../../packages/server/src/db/database-pool.ts';
import { changeEndpoint, readEndpoint } from '../../packages/server/src/db/queries/webhook-endpoints.ts';
import type { TransactionWork } from '../../packages/server/src/db/query.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { mailNotices } from '../../packages/server/src/notices/mail-notices.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type HealthSample, settleHealth } from '../../packages/server/src/webhooks/endpoint-health.ts';
import { makeEndpoint } from '../../packages/server/src/webhooks/manage-endpoints.ts';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';

let world: HandMadeDispatcher;
beforeAll(async () => {
  world = await startHandMadeDispatcher();
});
afterAll(() => world.close());

const FORMER = 'http://127.0.0.1:1/former';
const PRESENT = 'http://127.0.0.1:1/present';

const move = (id: string) =>
  changeEndpoint(
    world.sql,
    { accountId: world.accountId, id },
    {
      ...{ url: PRESENT, description: null },
      events: [],
      chosenBy: null,
    },
  );

const settle = (sql: Sql, endpointId: string, sample: Pick<HealthSample, 'url' | 'succeeded' | 'statusCode'>) => {
  const { accountId, clock } = world;
  const now = clock.now();
  const all = { ...sample, accountId, endpointId, createdAt: now, wasFailing: true };
  return settleHealth({ sql, ids: createIdGenerator() }, [all], now);
};

it('a URL that is changed while a 410 of the former one is counted is not disabled for it', async () => {
  const id = await world.endpoint(FORMER);
  const changing: Sql = {
    ...world.sql,
    async begin<T>(...[work]: BeginArguments<T>) {
      await move(id);
      // Nothing here asks for a mode.
      return await world.sql.begin(work as TransactionWork<T>);
    },
  };
  await settle(changing, id, { url: FORMER, succeeded: false, statusCode: 410 });
  expect(await readEndpoint(world.sql, world.accountId, id)).toMatchObject({ url: PRESENT, status: 'enabled' });
  await settle(world.sql, id, { url: PRESENT, succeeded: false, statusCode: 410 });
  expect(await readEndpoint(world.sql, world.accountId, id)).toMatchObject({ disabledReason: 'gone' });
});

it('a success at a former URL ends no failures of the present one', async () => {
  const id = await world.endpoint(FORMER);
  await move(id);
  await settle(world.sql, id, { url: PRESENT, succeeded: false, statusCode: 500 });
  await settle(world.sql, id, { url: FORMER, succeeded: true, statusCode: 200 });
  expect((await readEndpoint(world.sql, world.accountId, id))?.failingSince).toBeInstanceOf(Date);
  await settle(world.sql, id, { url: PRESENT, succeeded: true, statusCode: 200 });
  expect((await readEndpoint(world.sql, world.accountId, id))?.failingSince).toBeNull();
});

it('an endpoint whose secret cannot be opened delays no other, and its own events wait', async () => {
  const { sql, dispatcher, faults } = world;
  const receiver = await startWebhookReceiver(200);
  const [healthy, sealed] = [await world.endpoint(receiver.url), await world.endpoint(PRESENT)];
  await sql`UPDATE webhook_endpoints SET secret = '\\x01' WHERE id = ${sealed}`;
  await world.events(sealed, 3);
  await world.events(healthy, 3);
  await dispatcher.pump();
  await dispatcher.idle();
  const [waiting] = await sql`SELECT count(*)::int AS count FROM webhook_deliveries WHERE endpoint_id = ${sealed}`;
  expect([(await world.attempts(healthy)).length, waiting?.['count'], faults.length]).toEqual([3, 3, 1]);
  await receiver.close();
});

it('a notice that cannot be mailed does not block those after it', async () => {
  const { sql, clock } = world;
  const tools = { sql, clock, ids: createIdGenerator() };
  const webhooks = { secrets: createSecretBox(TEST_SECRET_KEY), policy: { allowLoopback: true } };
  const made: string[] = [];
  for (const name of ['Odd', 'Even']) {
    const { accountId } = await createAccount(tools, { name, ownerEmail: 'o@sandbox.test' });
    if (name === 'Odd') await sql`UPDATE members SET email = 'nobody' WHERE account_id = ${accountId}`;
    const endpoint = await makeEndpoint(
      { ...tools, webhooks },
      { accountId, keyId: 'operator', user: {} },
      { url: PRESENT },
    );
    if (endpoint.kind !== 'done') throw new Error(endpoint.kind);
    made.push(endpoint.row.id);
    const sample = { accountId, endpointId: endpoint.row.id, url: PRESENT, succeeded: false, statusCode: 410 };
    await settleHealth(tools, [{ ...sample, createdAt: clock.now(), wasFailing: false }], clock.now());
  }
  const mailer = {
    ...tools,
    secrets: webhooks.secrets,
    sandboxDomain: 'sandbox.test',
    byDomain: false,
    retryHours: 24,
    monthlyQuota: 1_000,
  };
  await expect(mailNotices({ ...mailer, mailFrom: null, baseUrl: 'http://127.0.0.1' })).rejects.toThrow();
  const left = await sql<{ id: string }[]>`
    SELECT target_id AS id FROM notices WHERE target_id = ANY (${made}::uuid[]) AND mailed_at IS NULL`;
  expect(left.map(({ id }) => id)).toEqual(made.slice(0, 1));
});
