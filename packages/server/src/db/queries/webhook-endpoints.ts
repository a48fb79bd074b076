import { builder, named } from '../builder.ts';
import type { Query, Transaction } from '../client.ts';
import { and, desc, eq, lt, sql } from '../drizzle.ts';
import { arraysOf, columnNames, type RecordOf, recordColumns, toArrays, unnested } from '../record-columns.ts';
import { executing, present, returning } from '../result.ts';
import { eventTakers, webhookDeliveries, webhookEndpoints } from '../schema/webhooks.ts';
import { defineStatement, type GivenOf, optional, type RowOf, value } from '../statement.ts';

type Endpoint = typeof webhookEndpoints.$inferSelect;
type EndpointName = Pick<Endpoint, 'accountId' | 'id'>;

const ENDPOINT = named({
  accountId: webhookEndpoints.accountId,
  id: webhookEndpoints.id,
  url: webhookEndpoints.url,
  description: webhookEndpoints.description,
  events: webhookEndpoints.events,
  status: webhookEndpoints.status,
  disabledReason: webhookEndpoints.disabledReason,
  failingSince: webhookEndpoints.failingSince,
  createdAt: webhookEndpoints.createdAt,
  /** The key that chose the URL; null if a user did, or if it is unknown. */
  chosenBy: webhookEndpoints.chosenBy,
});

export type EndpointRow = Pick<Endpoint, keyof typeof ENDPOINT>;

const noteEndpoints = defineStatement({ accountId: eventTakers.accountId }, ({ accountId }) =>
  builder
    .insert(eventTakers)
    .values({ accountId, hasEndpoints: true })
    .onConflictDoUpdate({ target: eventTakers.accountId, set: { hasEndpoints: true } }),
);

/**
 * Serializes changes of an account's endpoints until the end of the transaction, and has the account's events stored from now on. It must
 * come first in a transaction that adds or removes an endpoint.
 */
export async function lockEndpoints(transaction: Transaction, accountId: string): Promise<void> {
  await noteEndpoints(transaction, { accountId });
}

const insert = defineStatement(
  {
    accountId: webhookEndpoints.accountId,
    id: webhookEndpoints.id,
    url: webhookEndpoints.url,
    description: webhookEndpoints.description,
    events: webhookEndpoints.events,
    /** An envelope of the secret box. */
    secret: value<Uint8Array>(),
    chosenBy: webhookEndpoints.chosenBy,
    now: webhookEndpoints.createdAt,
  },
  ({ secret, now, ...endpoint }) =>
    builder
      .insert(webhookEndpoints)
      .values({ ...endpoint, secret: sql`${secret}`, createdAt: now })
      .returning(ENDPOINT),
);

export async function insertEndpoint(query: Query, endpoint: Parameters<typeof insert>[1]): Promise<EndpointRow> {
  const [row] = await insert(query, endpoint);
  if (row === undefined) throw new Error('an inserted endpoint was not returned');
  return row;
}

const count = defineStatement({ accountId: webhookEndpoints.accountId }, ({ accountId }) =>
  builder
    .select(named({ count: sql<number>`count(*)::int` }))
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.accountId, accountId)),
);

export async function countEndpoints(query: Query, accountId: string): Promise<number> {
  const [row] = await count(query, { accountId });
  return row?.count ?? 0;
}

/** One page, newest first. */
export const listEndpoints = defineStatement(
  { accountId: webhookEndpoints.accountId, before: optional(webhookEndpoints.id), limit: value<number>() },
  ({ accountId, before, limit }) =>
    builder
      .select(ENDPOINT)
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.accountId, accountId), before && lt(webhookEndpoints.id, before)))
      .orderBy(desc(webhookEndpoints.id))
      .limit(limit),
);

const ID = { accountId: webhookEndpoints.accountId, id: webhookEndpoints.id };

function isEndpoint({ accountId, id }: GivenOf<typeof ID>) {
  return and(eq(webhookEndpoints.accountId, accountId), eq(webhookEndpoints.id, id));
}

const read = defineStatement(ID, (name) => builder.select(ENDPOINT).from(webhookEndpoints).where(isEndpoint(name)));

export async function readEndpoint(query: Query, accountId: string, id: string): Promise<EndpointRow | null> {
  const [row] = await read(query, { accountId, id });
  return row ?? null;
}

const lock = defineStatement(ID, (name) =>
  builder.select(ENDPOINT).from(webhookEndpoints).where(isEndpoint(name)).for('update'),
);

/** One endpoint, locked until the end of the transaction; null if the account has none with that id. */
export async function lockEndpoint(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<EndpointRow | null> {
  const [row] = await lock(transaction, { accountId, id });
  return row ?? null;
}

const NEXT_REVISION = sql`${webhookEndpoints.revision} + 1`;

const change = defineStatement(
  {
    ...ID,
    url: webhookEndpoints.url,
    description: webhookEndpoints.description,
    events: webhookEndpoints.events,
    chosenBy: webhookEndpoints.chosenBy,
  },
  ({ accountId, id, ...changed }) =>
    builder
      .update(webhookEndpoints)
      .set({
        ...changed,
        revision: NEXT_REVISION,
        failures: sql`CASE WHEN ${webhookEndpoints.url} = ${changed.url} THEN ${webhookEndpoints.failures} ELSE 0 END`,
        failingSince: sql`CASE WHEN ${webhookEndpoints.url} = ${changed.url} THEN ${webhookEndpoints.failingSince} END`,
      })
      .where(isEndpoint({ accountId, id })),
);

/** Failures at another URL do not apply to a new one, so they are cleared. */
export async function changeEndpoint(
  query: Query,
  { accountId, id }: EndpointName,
  changed: Pick<Endpoint, 'url' | 'description' | 'events' | 'chosenBy'>,
): Promise<void> {
  await change(query, { accountId, id, ...changed });
}

const enable = defineStatement(ID, (name) =>
  builder
    .update(webhookEndpoints)
    .set({
      status: 'enabled',
      disabledReason: null,
      failingSince: null,
      failures: 0,
      revision: NEXT_REVISION,
    })
    .where(isEndpoint(name)),
);

const dropWaiting = defineStatement(ID, ({ accountId, id }) =>
  builder
    .delete(webhookDeliveries)
    .where(and(eq(webhookDeliveries.accountId, accountId), eq(webhookDeliveries.endpointId, id))),
);

/**
 * Enables an endpoint and clears its failures. Deliveries still waiting for it were queued concurrently
 * with its disabling, by a process that had still seen it enabled; they are dropped like the others.
 */
export async function enableEndpoint(query: Query, { accountId, id }: EndpointName): Promise<void> {
  await enable(query, { accountId, id });
  await dropWaiting(query, { accountId, id });
}

const disable = defineStatement({ ...ID, reason: webhookEndpoints.disabledReason }, ({ accountId, id, reason }) =>
  executing(sql`
      UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = ${reason}, revision = revision + 1
      WHERE account_id = ${accountId} AND id = ${id} AND status = 'enabled'`),
);

/**
 * Disables an endpoint and drops its waiting deliveries. False if it is already disabled, or gone.
 */
export async function disableEndpoint(
  query: Query,
  { accountId, id }: EndpointName,
  reason: NonNullable<Endpoint['disabledReason']>,
): Promise<boolean> {
  const disabled = await disable(query, { accountId, id, reason });
  if (disabled === 0) return false;
  await dropWaiting(query, { accountId, id });
  return true;
}

const replaceSecret = defineStatement(
  { ...ID, secret: value<Uint8Array>(), endsAt: webhookEndpoints.previousSecretEndsAt },
  ({ secret, endsAt, ...name }) =>
    builder
      .update(webhookEndpoints)
      .set({
        previousSecret: sql`${webhookEndpoints.secret}`,
        previousSecretEndsAt: endsAt,
        secret: sql`${secret}`,
        revision: NEXT_REVISION,
      })
      .where(isEndpoint(name)),
);

/** The previous secret also signs, until this time. */
export async function replaceEndpointSecret(
  query: Query,
  { accountId, id }: EndpointName,
  secret: Uint8Array,
  previousEndsAt: Date,
): Promise<void> {
  await replaceSecret(query, { accountId, id, secret, endsAt: previousEndsAt });
}

const remove = defineStatement(ID, (name) =>
  builder.delete(webhookEndpoints).where(isEndpoint(name)).returning(ENDPOINT),
);

const noteOthers = defineStatement({ accountId: eventTakers.accountId }, ({ accountId }) =>
  executing(sql`
    UPDATE event_takers SET has_endpoints = EXISTS (SELECT FROM webhook_endpoints WHERE account_id = ${accountId})
    WHERE account_id = ${accountId}`),
);

/** Removes an endpoint and its waiting deliveries. Its attempts are no longer reachable and are deleted when they are old enough. */
export async function deleteEndpoint(query: Query, accountId: string, id: string): Promise<EndpointRow | null> {
  const [row] = await remove(query, { accountId, id });
  await dropWaiting(query, { accountId, id });
  await noteOthers(query, { accountId });
  return row ?? null;
}

/** The combined results of attempts at an endpoint. `url` is where they were made, since they do not apply to another URL. */
const TALLY = {
  accountId: webhookEndpoints.accountId,
  id: webhookEndpoints.id,
  url: webhookEndpoints.url,
  failures: webhookEndpoints.failures,
  since: webhookEndpoints.failingSince,
};

export interface EndpointTally extends EndpointName, Pick<Endpoint, 'url' | 'failures'> {
  /** When the first of them began. */
  readonly since: Date;
}

const addTallies = defineStatement({ tallies: value<string>() }, ({ tallies }) =>
  returning(
    {
      ...ID,
      url: webhookEndpoints.url,
      failures: webhookEndpoints.failures,
      failingSince: present(webhookEndpoints.failingSince),
    },
    sql`
      UPDATE webhook_endpoints w SET failures = w.failures + g.failures, failing_since = coalesce(w.failing_since, g.since)
      FROM (SELECT * FROM json_to_recordset(${tallies}::text::json) AS g (${sql.raw(recordColumns(TALLY))})) AS g
      WHERE w.account_id = g."accountId" AND w.id = g.id AND w.url = g.url AND w.status = 'enabled'
      RETURNING w.account_id AS "accountId", w.id, w.url, w.failures, w.failing_since AS "failingSince"`,
  ),
);

/** A failing endpoint, with its failures since the last success. */
export type FailingEndpoint = RowOf<typeof addTallies>;

export async function addFailures(
  query: Query,
  tallies: readonly EndpointTally[],
): Promise<readonly FailingEndpoint[]> {
  return await addTallies(query, { tallies: JSON.stringify(tallies) });
}

const PLACE = { endpointId: webhookEndpoints.id, url: webhookEndpoints.url };

const forget = defineStatement(arraysOf(PLACE), (places) =>
  executing(sql`
      UPDATE webhook_endpoints w SET failures = 0, failing_since = NULL
      FROM ${unnested(PLACE, places)} AS g (${columnNames(PLACE)})
      WHERE w.id = g."endpointId" AND w.url = g.url AND w.status = 'enabled' AND w.failing_since IS NOT NULL`),
);

/** A success clears the earlier failures at the URL where it was made. */
export async function forgetFailures(query: Query, places: readonly RecordOf<typeof PLACE>[]): Promise<void> {
  await forget(query, toArrays(PLACE, places));
}
