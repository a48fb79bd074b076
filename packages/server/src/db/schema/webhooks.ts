import type { DisabledReason, WebhookEventType } from '@postrider/core';
import {
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { accounts } from './accounts.ts';
import { bytea, textArray, timestamptz, xid8 } from './column-types.ts';

export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    url: text('url').notNull(),
    description: text('description'),
    events: textArray<WebhookEventType>('events').notNull(),
    status: text('status').$type<'enabled' | 'disabled'>().notNull().default('enabled'),
    disabledReason: text('disabled_reason').$type<DisabledReason>(),
    secret: bytea('secret').notNull(),
    previousSecret: bytea('previous_secret'),
    previousSecretEndsAt: timestamptz('previous_secret_ends_at'),
    failingSince: timestamptz('failing_since'),
    failures: integer('failures').notNull().default(0),
    revision: integer('revision').notNull().default(1),
    createdAt: timestamptz('created_at').notNull(),
    chosenBy: uuid('chosen_by'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    uniqueIndex('webhook_endpoints_id').on(t.id),
    check('webhook_endpoints_check', sql`(${t.status} = 'disabled') = (${t.disabledReason} IS NOT NULL)`),
    check('webhook_endpoints_disabled_reason_check', sql`${t.disabledReason} IN ('manual', 'gone', 'failing')`),
    check('webhook_endpoints_status_check', sql`${t.status} IN ('enabled', 'disabled')`),
    ...accountWall(t.accountId),
  ],
);

export const eventTakers = pgTable(
  'event_takers',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    hasEndpoints: boolean('has_endpoints').notNull().default(false),
    streamingUntil: timestamptz('streaming_until').notNull().default(sql`'-infinity'`),
  },
  (t) => [...accountWall(t.accountId)],
);

export const webhookEvents = pgTable(
  'webhook_events',
  {
    accountId: uuid('account_id').notNull(),
    id: uuid('id').notNull(),
    type: text('type').$type<WebhookEventType>().notNull(),
    endpointId: uuid('endpoint_id'),
    body: text('body').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    storedAt: timestamptz('stored_at'),
    storedBy: xid8('stored_by'),
    storedBeside: xid8('stored_beside'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('webhook_events_stored').on(t.accountId, t.storedAt),
    ...accountWall(t.accountId),
  ],
);

export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    accountId: uuid('account_id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    eventId: uuid('event_id').notNull(),
    id: uuid('id').notNull(),
    eventType: text('event_type').$type<WebhookEventType>().notNull(),
    attempt: integer('attempt').notNull(),
    step: smallint('step').notNull(),
    nextAt: timestamptz('next_at').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    leaseId: uuid('lease_id'),
    leaseUntil: timestamptz('lease_until'),
    askedAt: timestamptz('asked_at'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.endpointId, t.eventId] }),
    index('webhook_deliveries_due').on(t.accountId, t.endpointId, t.nextAt),
    ...accountWall(t.accountId),
  ],
);

export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    accountId: uuid('account_id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    id: uuid('id').notNull(),
    eventId: uuid('event_id').notNull(),
    eventType: text('event_type').$type<WebhookEventType>().notNull(),
    attempt: integer('attempt').notNull(),
    succeeded: boolean('succeeded').notNull(),
    statusCode: integer('status_code'),
    error: text('error'),
    durationMs: integer('duration_ms').notNull(),
    responseBody: text('response_body'),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.endpointId, t.id] }),
    index('webhook_attempts_event').on(t.accountId, t.endpointId, t.eventId),
    ...accountWall(t.accountId),
  ],
);

export const eventBacklog = pgTable(
  'event_backlog',
  {
    accountId: uuid('account_id').notNull(),
    messageId: uuid('message_id').notNull(),
    seq: integer('seq').notNull(),
  },
  (t) => [...accountWall(t.accountId)],
);
