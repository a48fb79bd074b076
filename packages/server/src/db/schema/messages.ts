import type { Channel, Classification, MessageEventType, MessageStatus, RecipientKind, Source } from '@postrider/core';
import { boolean, index, integer, pgTable, primaryKey, smallint, text, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { bytea, jsonb, textArray, timestamptz } from './column-types.ts';

export const messages = pgTable(
  'messages',
  {
    accountId: uuid('account_id').notNull(),
    id: uuid('id').notNull(),
    keyId: uuid('key_id').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    fromGiven: text('from_given').notNull(),
    fromDomain: text('from_domain').notNull(),
    toLine: text('to_line').notNull(),
    replyTo: text('reply_to'),
    subject: text('subject').notNull(),
    status: text('status').$type<MessageStatus>().notNull(),
    channel: text('channel').$type<Channel>().notNull(),
    source: text('source').$type<Source>().notNull(),
    agentName: text('agent_name'),
    tags: textArray('tags').notNull(),
    metadata: jsonb<Readonly<Record<string, string>>>('metadata').notNull(),
    charged: integer('charged').notNull(),
    eventCount: integer('event_count').notNull(),
    lastError: text('last_error'),
    scheduledAt: timestamptz('scheduled_at'),
    template: text('template'),
    resendOf: uuid('resend_of'),
    unsubscribe: boolean('unsubscribe').notNull().default(false),
    askedBy: uuid('asked_by'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('messages_status').on(t.accountId, t.status, t.id),
    ...accountWall(t.accountId),
  ],
);

export const messageBodies = pgTable(
  'message_bodies',
  {
    accountId: uuid('account_id').notNull(),
    messageId: uuid('message_id').notNull(),
    html: text('html'),
    text: text('text'),
    headers: jsonb<Readonly<Record<string, string>>>('headers').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.messageId] }), ...accountWall(t.accountId)],
);

export const messageRecipients = pgTable(
  'message_recipients',
  {
    accountId: uuid('account_id').notNull(),
    messageId: uuid('message_id').notNull(),
    ordinal: smallint('ordinal').notNull(),
    kind: text('kind').$type<RecipientKind>().notNull(),
    name: text('name'),
    email: text('email').notNull(),
    status: text('status').$type<MessageStatus>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.messageId, t.ordinal] }), ...accountWall(t.accountId)],
);

export const messageEvents = pgTable(
  'message_events',
  {
    accountId: uuid('account_id').notNull(),
    messageId: uuid('message_id').notNull(),
    seq: integer('seq').notNull(),
    id: uuid('id').notNull(),
    type: text('type').$type<MessageEventType>().notNull(),
    recipient: text('recipient'),
    classification: text('classification').$type<Classification>(),
    detail: text('detail'),
    createdAt: timestamptz('created_at').notNull(),
    /** The delivery attempt that it is the first event of, as delivery/stored-attempt.ts writes it. */
    attempt: text('attempt'),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.messageId, t.seq] }), ...accountWall(t.accountId)],
);

export const messageAttachments = pgTable(
  'message_attachments',
  {
    accountId: uuid('account_id').notNull(),
    messageId: uuid('message_id').notNull(),
    ordinal: smallint('ordinal').notNull(),
    filename: text('filename').notNull(),
    contentType: text('content_type').notNull(),
    contentId: text('content_id'),
    size: integer('size').notNull(),
    content: bytea('content').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.messageId, t.ordinal] }), ...accountWall(t.accountId)],
);

export const messageTracking = pgTable(
  'message_tracking',
  {
    accountId: uuid('account_id').notNull(),
    messageId: uuid('message_id').notNull(),
    openPixel: boolean('open_pixel').notNull(),
    links: textArray('links').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.messageId] }), ...accountWall(t.accountId)],
);

export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    accountId: uuid('account_id').notNull(),
    key: text('key').notNull(),
    fingerprint: text('fingerprint').notNull(),
    messageId: uuid('message_id').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    keyId: uuid('key_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.keyId, t.key] }),
    index('idempotency_keys_age').using('brin', t.createdAt),
    ...accountWall(t.accountId),
  ],
);
