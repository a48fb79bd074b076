import type { DomainStatus, Role } from '@postrider/core';
import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { present, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { sendingDomains } from '../schema/domains.ts';
import { apiKeys } from '../schema/keys.ts';
import { members } from '../schema/users.ts';
import { webhookEndpoints } from '../schema/webhooks.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const readName = defineStatement({ accountId: accounts.id }, ({ accountId }) =>
  builder
    .select(named({ name: accounts.name }))
    .from(accounts)
    .where(eq(accounts.id, accountId)),
);

/** The name of an account; null if it is gone. */
export async function readNoticedAccount(query: Query, accountId: string): Promise<string | null> {
  const [row] = await readName(query, { accountId });
  return row?.name ?? null;
}

const readReaders = defineStatement(
  { accountId: members.accountId, roles: value<readonly Role[]>() },
  ({ accountId, roles }) =>
    builder
      .select(named({ memberId: members.id, email: members.email }))
      .from(members)
      .where(
        and(
          eq(members.accountId, accountId),
          eq(members.status, 'active'),
          sql`${members.role} = ANY (${roles}::text[])`,
        ),
      )
      .orderBy(members.id),
);

export type NoticeReader = RowOf<typeof readReaders>;

/** The members with one of these roles. An invitation counts only once its user has signed in with that address. */
export async function readNoticeReaders(
  query: Query,
  accountId: string,
  roles: readonly Role[],
): Promise<readonly NoticeReader[]> {
  return await readReaders(query, { accountId, roles });
}

const OF = { accountId: value<string>(), ids: value<readonly string[]>() };

const readKeys = defineStatement(
  { ...OF, now: value<Date>(), before: value<Date>() },
  ({ accountId, ids, now, before }) =>
    returning(
      { id: apiKeys.id, name: apiKeys.name, last4: apiKeys.last4, expiresAt: present(apiKeys.expiresAt) },
      sql`
      SELECT id, name, last4, expires_at AS "expiresAt" FROM api_keys
      WHERE account_id = ${accountId} AND id = ANY (${ids}::uuid[]) AND revoked_at IS NULL
        AND expires_at > ${now} AND expires_at <= ${before}
      ORDER BY expires_at, id`,
    ),
);

export type NoticedKey = RowOf<typeof readKeys>;

/** Those of these keys that have not ended and still expire by `before`. */
export async function readNoticedKeys(
  query: Query,
  accountId: string,
  ids: readonly string[],
  { now, before }: { readonly now: Date; readonly before: Date },
): Promise<readonly NoticedKey[]> {
  return await readKeys(query, { accountId, ids, now, before });
}

const readDomains = defineStatement(
  { ...OF, status: value<Extract<DomainStatus, 'degraded' | 'failed'>>() },
  ({ accountId, ids, status }) =>
    returning(
      {
        id: sendingDomains.id,
        name: sendingDomains.name,
        status: sendingDomains.status,
        statusSince: sendingDomains.statusSince,
        statusReason: sendingDomains.statusReason,
      },
      sql`
        SELECT id, name, status, status_since AS "statusSince", status_reason AS "statusReason"
        FROM sending_domains WHERE account_id = ${accountId} AND id = ANY (${ids}::uuid[]) AND status = ${status} ORDER BY name, id`,
    ),
);

export type NoticedDomain = RowOf<typeof readDomains>;

/** Those of these domains that still have the status. */
export async function readNoticedDomains(
  query: Query,
  accountId: string,
  ids: readonly string[],
  status: 'degraded' | 'failed',
): Promise<readonly NoticedDomain[]> {
  return await readDomains(query, { accountId, ids, status });
}

const readEndpoints = defineStatement(OF, ({ accountId, ids }) =>
  returning(
    {
      id: webhookEndpoints.id,
      url: webhookEndpoints.url,
      reason: present(webhookEndpoints.disabledReason),
      failingSince: webhookEndpoints.failingSince,
    },
    sql`
      SELECT id, url, disabled_reason AS reason, failing_since AS "failingSince" FROM webhook_endpoints
      WHERE account_id = ${accountId} AND id = ANY (${ids}::uuid[]) AND status = 'disabled' AND disabled_reason <> 'manual'
      ORDER BY url, id`,
  ),
);

export type NoticedEndpoint = RowOf<typeof readEndpoints>;

/** Those of these endpoints that are still disabled because of their responses. */
export async function readNoticedEndpoints(
  query: Query,
  accountId: string,
  ids: readonly string[],
): Promise<readonly NoticedEndpoint[]> {
  return await readEndpoints(query, { accountId, ids });
}
