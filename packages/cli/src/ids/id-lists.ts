import type { OperationId } from '@postrider/sdk';
import { type JsonRecord, textOf } from '../output/json-value.ts';

/** Where the ids of a kind of record are listed. */
export interface IdList {
  readonly operation: OperationId;
  /** The field of the answer that has the records. */
  readonly rows: string;
  /** Several of them, in a sentence. */
  readonly noun: string;
  /** What a user knows a record by. */
  readonly label: (row: JsonRecord) => string;
  /** Whether the list comes in pages, and can be narrowed to a span of time. */
  readonly paging: 'none' | 'pages' | 'pages-in-span';
}

const by =
  (...names: readonly string[]): IdList['label'] =>
  (row) =>
    names
      .map((name) => textOf(row[name]))
      .filter((text) => text !== '')
      .join(', ');

/** By the first word of a command, or of the operation that it calls. */
const LISTS: Readonly<Record<string, IdList>> = {
  emails: {
    ...{ operation: 'emails.list', rows: 'messages', noun: 'messages', paging: 'pages-in-span' },
    label: by('subject', 'to'),
  },
  keys: { operation: 'keys.list', rows: 'keys', noun: 'keys', paging: 'pages', label: by('name') },
  approvals: {
    ...{ operation: 'approvals.list', rows: 'approvals', noun: 'held sends', paging: 'pages' },
    label: by('subject', 'to'),
  },
  requests: {
    ...{ operation: 'requests.list', rows: 'requests', noun: 'requests', paging: 'pages' },
    label: by('method', 'path'),
  },
  suppressions: {
    ...{ operation: 'suppressions.list', rows: 'suppressions', noun: 'suppressions', paging: 'pages' },
    label: by('email'),
  },
  templates: {
    ...{ operation: 'templates.list', rows: 'templates', noun: 'templates', paging: 'pages' },
    label: by('slug'),
  },
  domains: { operation: 'domains.list', rows: 'domains', noun: 'domains', paging: 'pages', label: by('name') },
  tickets: { operation: 'tickets.list', rows: 'tickets', noun: 'tickets', paging: 'pages', label: by('subject') },
  webhooks: { operation: 'webhooks.list', rows: 'webhooks', noun: 'endpoints', paging: 'pages', label: by('url') },
  team: { operation: 'team.list', rows: 'members', noun: 'members', paging: 'none', label: by('email') },
  sessions: { operation: 'sessions.list', rows: 'sessions', noun: 'sessions', paging: 'none', label: by('userAgent') },
};

const DELIVERIES: IdList = {
  ...{ operation: 'webhooks.deliveries', rows: 'deliveries', noun: 'deliveries', paging: 'pages' },
  label: by('eventType', 'createdAt'),
};

/** The list that an argument of a command names a record of; null if it is no id, or there is no list. */
export function listOf(commandId: string, argument: string): IdList | null {
  if (argument === 'deliveryId') return DELIVERIES;
  if (argument !== 'id' && argument !== 'ids') return null;
  return LISTS[/^[a-z]+/.exec(commandId)?.[0] ?? ''] ?? null;
}
