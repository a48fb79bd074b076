import type { DisabledReason, WebhookEventType } from '@postrider/core';
import type { Query, Transaction } from '../client.ts';

export interface EndpointRow {
  readonly accountId: string;
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly WebhookEventType[];
  readonly status: 'enabled' | 'disabled';
  readonly disabledReason: DisabledReason | null;
  readonly failingSince: Date | null;
  readonly createdAt: Date;
  /** The key that chose the URL; null: a user did, or it is not known. */
  readonly chosenBy: string | null;
}

function columns(query: Query) {
  return query`w.account_id AS "accountId", w.id, w.url, w.description, w.events, w.status, w.disabled_reason AS "disabledReason",
    w.failing_since AS "failingSince", w.created_at AS "createdAt", w.chosen_by AS "chosenBy"`;
}

/**
 * Keeps two changes of an account's endpoints apart until the end of the transaction, and has the account's events stored from here on: the
 * first thing in a transaction that adds or removes an endpoint.
 */
export async function lockEndpoints(transaction: Transaction, accountId: string): Promise<void> {
  await transaction`
    INSERT INTO event_takers (account_id, has_endpoints) VALUES (${accountId}, true)
    ON CONFLICT (account_id) DO UPDATE SET has_endpoints = true`;
}

export interface NewEndpoint {
  readonly accountId: string;
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[];
  /** An envelope of the secret box. */
  readonly secret: Uint8Array;
  readonly chosenBy: string | null;
  readonly now: Date;
}

export async function insertEndpoint(query: Query, endpoint: NewEndpoint): Promise<EndpointRow> {
  const { accountId, id, url, description, events, secret, chosenBy, now } = endpoint;
  const [row] = await query<EndpointRow[]>`
    INSERT INTO webhook_endpoints AS w (account_id, id, url, description, events, secret, chosen_by, created_at)
    VALUES (${accountId}, ${id}, ${url}, ${description}, ${[...events]}::text[], ${secret}, ${chosenBy}, ${now})
    RETURNING ${columns(query)}`;
  if (row === undefined) throw new Error('an endpoint was inserted and did not come back');
  return row;
}

export async function countEndpoints(query: Query, accountId: string): Promise<number> {
  const [row] = await query<{ count: number }[]>`
    SELECT count(*)::int AS count FROM webhook_endpoints WHERE account_id = ${accountId}`;
  return row?.count ?? 0;
}

/** One page, newest first. */
export async function listEndpoints(
  query: Query,
  { accountId, before, limit }: { readonly accountId: string; readonly before: string | null; readonly limit: number },
): Promise<readonly EndpointRow[]> {
  return await query<EndpointRow[]>`
    SELECT ${columns(query)} FROM webhook_endpoints w
    WHERE w.account_id = ${accountId} ${before === null ? query`` : query`AND w.id < ${before}`}
    ORDER BY w.id DESC LIMIT ${limit}`;
}

export async function readEndpoint(query: Query, accountId: string, id: string): Promise<EndpointRow | null> {
  const [row] = await query<EndpointRow[]>`
    SELECT ${columns(query)} FROM webhook_endpoints w WHERE w.account_id = ${accountId} AND w.id = ${id}`;
  return row ?? null;
}

/** One endpoint, locked until the end of the transaction; null where the account has none of that id. */
export async function lockEndpoint(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<EndpointRow | null> {
  const [row] = await transaction<EndpointRow[]>`
    SELECT ${columns(transaction)} FROM webhook_endpoints w WHERE w.account_id = ${accountId} AND w.id = ${id} FOR UPDATE`;
  return row ?? null;
}

export interface EndpointChanges {
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[];
  readonly chosenBy: string | null;
}

/** Failures of another URL say nothing of a new one: they are forgotten. */
export async function changeEndpoint(
  query: Query,
  { accountId, id }: Pick<EndpointRow, 'accountId' | 'id'>,
  { url, description, events, chosenBy }: EndpointChanges,
): Promise<void> {
  await query`
    UPDATE webhook_endpoints SET url = ${url}, description = ${description}, events = ${[...events]}::text[], chosen_by = ${chosenBy}, revision = revision + 1,
      failures = CASE WHEN url = ${url} THEN failures ELSE 0 END, failing_since = CASE WHEN url = ${url} THEN failing_since END
    WHERE account_id = ${accountId} AND id = ${id}`;
}

/**
 * Enables an endpoint; its failures are forgotten, and nobody has to be told of them any more. What waits for it was queued beside its disabling,
 * by who had still seen it enabled, and is dropped as the rest was.
 */
export async function enableEndpoint(
  query: Query,
  { accountId, id }: Pick<EndpointRow, 'accountId' | 'id'>,
): Promise<void> {
  await query`
    UPDATE webhook_endpoints SET status = 'enabled', disabled_reason = NULL, failing_since = NULL, failures = 0, notice_due_at = NULL,
      revision = revision + 1
    WHERE account_id = ${accountId} AND id = ${id}`;
  await query`DELETE FROM webhook_deliveries WHERE account_id = ${accountId} AND endpoint_id = ${id}`;
}

/**
 * Disables an endpoint, and drops what waits for it. With `noticeAt` the team is to be told by mail. False where it is disabled already, or gone.
 */
export async function disableEndpoint(
  query: Query,
  { accountId, id }: Pick<EndpointRow, 'accountId' | 'id'>,
  reason: DisabledReason,
  noticeAt: Date | null,
): Promise<boolean> {
  const rows = await query`
    UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = ${reason}, notice_due_at = ${noticeAt}, revision = revision + 1
    WHERE account_id = ${accountId} AND id = ${id} AND status = 'enabled' RETURNING 1`;
  if (rows.length === 0) return false;
  await query`DELETE FROM webhook_deliveries WHERE account_id = ${accountId} AND endpoint_id = ${id}`;
  return true;
}

/** The secret before the present one signs too, until then. */
export async function replaceEndpointSecret(
  query: Query,
  { accountId, id }: Pick<EndpointRow, 'accountId' | 'id'>,
  secret: Uint8Array,
  previousEndsAt: Date,
): Promise<void> {
  await query`
    UPDATE webhook_endpoints SET previous_secret = secret, previous_secret_ends_at = ${previousEndsAt}, secret = ${secret},
      revision = revision + 1
    WHERE account_id = ${accountId} AND id = ${id}`;
}

/** Removes an endpoint and what waits for it. Its attempts are reached by nobody any more, and go when they are old enough. */
export async function deleteEndpoint(query: Query, accountId: string, id: string): Promise<EndpointRow | null> {
  const [row] = await query<EndpointRow[]>`
    DELETE FROM webhook_endpoints w WHERE w.account_id = ${accountId} AND w.id = ${id} RETURNING ${columns(query)}`;
  await query`DELETE FROM webhook_deliveries WHERE account_id = ${accountId} AND endpoint_id = ${id}`;
  await query`
    UPDATE event_takers SET has_endpoints = EXISTS (SELECT FROM webhook_endpoints WHERE account_id = ${accountId})
    WHERE account_id = ${accountId}`;
  return row ?? null;
}

/** An endpoint as it is delivered to. */
export interface ReceiverRow {
  readonly accountId: string;
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly revision: number;
  readonly secret: Uint8Array;
  readonly previousSecret: Uint8Array | null;
  readonly previousSecretEndsAt: Date | null;
  /** The key that chose the URL; null: it is sent everything. */
  readonly chosenBy: string | null;
}

/** Those of these endpoints that there are, whoever's they are. */
export async function readReceivers(query: Query, ids: readonly string[]): Promise<readonly ReceiverRow[]> {
  return await query<ReceiverRow[]>`
    SELECT account_id AS "accountId", id, url, status = 'enabled' AS enabled, revision, secret, previous_secret AS "previousSecret",
      previous_secret_ends_at AS "previousSecretEndsAt", chosen_by AS "chosenBy"
    FROM webhook_endpoints WHERE id = ANY (${[...ids]}::uuid[])`;
}

/** An endpoint whose team is to be told that it was disabled. */
export interface DueNotice {
  readonly accountId: string;
  readonly accountName: string;
  readonly id: string;
  readonly url: string;
  readonly reason: DisabledReason;
  readonly failingSince: Date | null;
  /** The addresses of the account's people. */
  readonly members: readonly string[];
  /** Another process takes it then, where this one has not settled it. */
  readonly leaseUntil: Date;
}

/** Takes notices that are due, for so long. */
export async function takeDueNotices(query: Query, now: Date, leaseUntil: Date): Promise<readonly DueNotice[]> {
  const rows = await query<Omit<DueNotice, 'leaseUntil'>[]>`
    UPDATE webhook_endpoints w SET notice_due_at = ${leaseUntil} FROM accounts a
    WHERE w.notice_due_at <= ${now} AND a.id = w.account_id
    RETURNING w.account_id AS "accountId", a.name AS "accountName", w.id, w.url, w.disabled_reason AS reason,
      w.failing_since AS "failingSince",
      ARRAY(SELECT m.email FROM members m WHERE m.account_id = w.account_id AND m.status = 'active' ORDER BY m.id) AS members`;
  return rows.map((row) => ({ ...row, leaseUntil }));
}

export async function settleNotice(query: Query, { accountId, id, leaseUntil }: DueNotice): Promise<void> {
  await query`
    UPDATE webhook_endpoints SET notice_due_at = NULL
    WHERE account_id = ${accountId} AND id = ${id} AND notice_due_at = ${leaseUntil}`;
}

/** What came of attempts at an endpoint, together. */
export interface EndpointTally {
  readonly accountId: string;
  readonly id: string;
  /** Where they were made: of another one they say nothing. */
  readonly url: string;
  readonly failures: number;
  /** When the first of them began. */
  readonly since: Date;
}

/** An endpoint that fails, with its failures since the last success. */
export interface FailingEndpoint {
  readonly accountId: string;
  readonly id: string;
  readonly url: string;
  readonly failures: number;
  readonly failingSince: Date;
}

export async function addFailures(
  query: Query,
  tallies: readonly EndpointTally[],
): Promise<readonly FailingEndpoint[]> {
  const rows = tallies.map(({ since, ...tally }) => ({ ...tally, since: since.toISOString() }));
  return await query<FailingEndpoint[]>`
    UPDATE webhook_endpoints w SET failures = w.failures + g.failures, failing_since = coalesce(w.failing_since, g.since)
    FROM (SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::text::json)
      AS g ("accountId" uuid, id uuid, url text, failures integer, since timestamptz)) AS g
    WHERE w.account_id = g."accountId" AND w.id = g.id AND w.url = g.url AND w.status = 'enabled'
    RETURNING w.account_id AS "accountId", w.id, w.url, w.failures, w.failing_since AS "failingSince"`;
}

/** A success ends the failures before it, at the URL where it was made. */
export async function forgetFailures(
  query: Query,
  places: readonly { readonly endpointId: string; readonly url: string }[],
): Promise<void> {
  const [ids, urls] = [places.map(({ endpointId }) => endpointId), places.map(({ url }) => url)];
  await query`
    UPDATE webhook_endpoints w SET failures = 0, failing_since = NULL FROM unnest(${ids}::uuid[], ${urls}::text[]) AS g (id, url)
    WHERE w.id = g.id AND w.url = g.url AND w.status = 'enabled' AND w.failing_since IS NOT NULL`;
}
