import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type Pool, type Sql } from '../../packages/server/src/db/client.ts';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

const EVENTS = 500;
/** The statements that claim and that record. */
const FREQUENT = /pg_try_advisory_xact_lock|INSERT INTO webhook_attempts/;

let world: HandMadeDispatcher;
let receiver: WebhookReceiver;
let keeping: Pool;
beforeAll(async () => {
  world = await startHandMadeDispatcher();
  receiver = await startWebhookReceiver();
  keeping = openDatabase({ target: world.target, maxConnections: 2, applicationName: 'tests', keepPlans: true });
});
afterAll(async () => {
  await world.close();
  await keeping.end({ timeout: 1 });
  await receiver.close();
  expect(world.faults).toEqual([]);
});

/** The same connections, with the texts of the statements that they run. */
function noting(sql: Sql): { readonly sql: Sql; readonly texts: string[] } {
  const texts: string[] = [];
  const run: Sql['run'] = (text, parameters, options) => {
    texts.push(text);
    return sql.run(text, parameters, options);
  };
  return { sql: { ...sql, run }, texts };
}

it('claims and records in the pool that keeps plans, which are made again before each claim', async () => {
  const [rare, frequent] = [noting(world.sql), noting(keeping)];
  let renewals = 0;
  const renewPlans = async () => {
    renewals += 1;
  };
  const dispatcher = world.another(rare.sql, { queueSql: frequent.sql, renewPlans });
  await dispatcher.pump();
  const endpointId = await world.endpoint(receiver.url);
  await world.events(endpointId, EVENTS);
  await dispatcher.pump();
  await receiver.count(EVENTS);
  await dispatcher.idle();
  expect(await world.attempts(endpointId)).toHaveLength(EVENTS);
  expect(await world.sql`SELECT FROM webhook_deliveries`).toHaveLength(0);
  expect(frequent.texts.length).toBeGreaterThanOrEqual(3);
  expect(frequent.texts.filter((text) => !FREQUENT.test(text))).toEqual([]);
  expect(rare.texts.filter((text) => FREQUENT.test(text))).toEqual([]);
  // Before each claim.
  expect(renewals).toBe(frequent.texts.filter((text) => text.includes('pg_try_advisory_xact_lock')).length);
});

it('claims nothing after a stop, even if the stop came while plans were made', async () => {
  const endpointId = await world.endpoint(receiver.url);
  await world.events(endpointId, 3);
  const planning = Promise.withResolvers<void>();
  const dispatcher = world.another(world.sql, { queueSql: keeping, renewPlans: () => planning.promise });
  const pumped = dispatcher.pump();
  await dispatcher.stop(0);
  planning.resolve();
  await pumped;
  const leased =
    await world.sql`SELECT FROM webhook_deliveries WHERE endpoint_id = ${endpointId} AND lease_id IS NOT NULL`;
  expect(leased).toHaveLength(0);
  expect(await world.attempts(endpointId)).toEqual([]);
});
