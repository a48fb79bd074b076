import { LIMITS, type NewWebhookInput, type WebhookChangesInput } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql, Transaction } from '../db/client.ts';
import { type AuditAction, appendAudit } from '../db/queries/audit-log.ts';
import {
  changeEndpoint,
  countEndpoints,
  deleteEndpoint,
  disableEndpoint,
  type EndpointRow,
  enableEndpoint,
  insertEndpoint,
  lockEndpoint,
  lockEndpoints,
  replaceEndpointSecret,
} from '../db/queries/webhook-endpoints.ts';
import { checkUrl } from '../outbound/check-url.ts';
import { type IdGenerator, isUuid } from '../uuid-v7.ts';
import { createWebhookSecret } from './sign-webhook.ts';
import type { WebhookTools } from './webhook-tools.ts';

export interface EndpointTools {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly webhooks: Pick<WebhookTools, 'secrets' | 'policy'>;
}

/** The account of the endpoints, and the acting user or key. */
export interface EndpointOwner {
  readonly accountId: string;
  readonly keyId: string;
  /** Null if a key acts. */
  readonly user: object | null;
}

export type EndpointRefusal =
  | { readonly kind: 'missing' }
  /** The reason continues the words "The URL". */
  | { readonly kind: 'url'; readonly reason: string }
  | { readonly kind: 'too-many' };

type Done<More = unknown> = { readonly kind: 'done'; readonly row: EndpointRow } & More;

const HOUR_MS = 3_600_000;

/** Adds an endpoint. Only the response contains the secret in plaintext. */
export async function makeEndpoint(
  tools: EndpointTools,
  owner: EndpointOwner,
  { url: given, description = null, events = [] }: NewWebhookInput,
): Promise<Done<{ readonly secret: string }> | EndpointRefusal> {
  const { sql, clock, ids, webhooks } = tools;
  const url = checkUrl(given, webhooks.policy);
  if (!url.ok) return { kind: 'url', reason: url.reason };
  const { accountId } = owner;
  const now = clock.now();
  const secret = createWebhookSecret();
  return await sql.begin(async (transaction) => {
    await lockEndpoints(transaction, accountId);
    if ((await countEndpoints(transaction, accountId)) >= LIMITS.webhooksPerAccount) return { kind: 'too-many' };
    const row = await insertEndpoint(transaction, {
      ...{ accountId, id: ids.next(now), url: given, description, events, now, chosenBy: chooserOf(owner) },
      secret: webhooks.secrets.seal(secret),
    });
    await audit(transaction, tools, owner, 'webhook.created', row, now);
    return { kind: 'done', row, secret };
  });
}

/** Changes the given fields of an endpoint. */
export async function updateEndpoint(
  tools: EndpointTools,
  owner: EndpointOwner,
  id: string,
  { status, ...given }: WebhookChangesInput,
): Promise<Done | EndpointRefusal> {
  if (given.url !== undefined) {
    const url = checkUrl(given.url, tools.webhooks.policy);
    if (!url.ok) return { kind: 'url', reason: url.reason };
  }
  return await onEndpoint(tools, owner, id, async (transaction, row, now) => {
    const { url = row.url, description = row.description, events = row.events } = given;
    const chosenBy = url === row.url ? row.chosenBy : chooserOf(owner);
    await changeEndpoint(transaction, row, { url, description, events, chosenBy });
    if (status !== undefined && status !== row.status) {
      if (status === 'enabled') await enableEndpoint(transaction, row);
      else await disableEndpoint(transaction, row, 'manual');
    }
    const after = (await lockEndpoint(transaction, row.accountId, id)) ?? row;
    const changed = changedFields(row, after);
    if (changed.length > 0) {
      await audit(transaction, tools, owner, 'webhook.updated', after, now, { changed: changed.join(', ') });
    }
    return { kind: 'done', row: after };
  });
}

/** An endpoint receives what its key may see. A user may send everything there. */
function chooserOf({ keyId, user }: EndpointOwner): string | null {
  return user === null ? keyId : null;
}

function changedFields(before: EndpointRow, after: EndpointRow): readonly string[] {
  return (['url', 'description', 'events', 'status'] as const).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}

/** Gives an endpoint a new secret. The previous one also signs for a while. */
export async function rotateEndpoint(
  tools: EndpointTools,
  owner: EndpointOwner,
  id: string,
): Promise<Done<{ readonly secret: string }> | EndpointRefusal> {
  const secret = createWebhookSecret();
  return await onEndpoint(tools, owner, id, async (transaction, row, now) => {
    const endsAt = new Date(now.getTime() + LIMITS.webhookSecretGraceHours * HOUR_MS);
    await replaceEndpointSecret(transaction, row, tools.webhooks.secrets.seal(secret), endsAt);
    await audit(transaction, tools, owner, 'webhook.rotated', row, now);
    return { kind: 'done', row, secret };
  });
}

/** Removes an endpoint and returns its last state. */
export async function removeEndpoint(
  tools: EndpointTools,
  owner: EndpointOwner,
  id: string,
): Promise<Done | EndpointRefusal> {
  if (!isUuid(id)) return { kind: 'missing' };
  return await tools.sql.begin(async (transaction) => {
    await lockEndpoints(transaction, owner.accountId);
    const row = await deleteEndpoint(transaction, owner.accountId, id);
    if (row === null) return { kind: 'missing' };
    await audit(transaction, tools, owner, 'webhook.deleted', row, tools.clock.now());
    return { kind: 'done', row };
  });
}

async function onEndpoint<T>(
  { sql, clock }: EndpointTools,
  { accountId }: EndpointOwner,
  id: string,
  work: (transaction: Transaction, row: EndpointRow, now: Date) => Promise<T>,
): Promise<T | EndpointRefusal> {
  if (!isUuid(id)) return MISSING;
  const result = await sql.begin(async (transaction) => {
    const row = await lockEndpoint(transaction, accountId, id);
    return { result: row === null ? MISSING : await work(transaction, row, clock.now()) };
  });
  return result.result;
}

const MISSING: EndpointRefusal = { kind: 'missing' };

async function audit(
  transaction: Transaction,
  { ids }: Pick<EndpointTools, 'ids'>,
  { keyId: actor }: EndpointOwner,
  action: AuditAction,
  { accountId, id: targetId, url }: EndpointRow,
  now: Date,
  details: Readonly<Record<string, string>> = {},
): Promise<void> {
  await appendAudit(transaction, [
    { accountId, id: ids.next(now), action, actor, targetId, details: { url, ...details }, now },
  ]);
}
