import type { OperationId } from '@postrider/sdk';
import { type JsonRecord, textOf } from '../output/json-value.ts';

/** The operation that lists one kind of record. */
export interface IdList {
  readonly operation: OperationId;
  /** The field of the response that contains the records. */
  readonly rows: string;
  /** The plural noun for a sentence. */
  readonly noun: string;
  /** The text by which a user recognizes a record. */
  readonly label: (row: JsonRecord) => string;
  /** Whether the list has pages and can be limited to a span of time. */
  readonly paging: 'none' | 'pages' | 'pages-in-span';
  /** The query that leaves out what is not needed here. */
  readonly query?: JsonRecord;
}

const by =
  (...names: readonly string[]): IdList['label'] =>
  (row) =>
    names
      .map((name) => textOf(row[name]))
      .filter((text) => text !== '')
      .join(', ');

/** By the first word of the command's id. */
const LISTS: Readonly<Record<string, IdList>> = {
  emails: {
    ...{ operation: 'emails.list', rows: 'messages', noun: 'messages', paging: 'pages-in-span' },
    label: by('subject', 'to'),
  },
  keys: { operation: 'keys.list', rows: 'keys', noun: 'keys', paging: 'pages', label: by('name') },
  approvals: {
    ...{ operation: 'approvals.list', rows: 'approvals', noun: 'held sends', paging: 'pages' },
    label: by('status', 'subject', 'to'),
    query: { content: false },
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
  programs: { operation: 'programs.list', rows: 'programs', noun: 'programs', paging: 'none', label: by('name') },
  passkeys: { operation: 'passkeys.list', rows: 'passkeys', noun: 'passkeys', paging: 'none', label: by('name') },
};

const DELIVERIES: IdList = {
  ...{ operation: 'webhooks.deliveries', rows: 'deliveries', noun: 'deliveries', paging: 'pages' },
  label: by('eventType', 'createdAt'),
};

/** Only a pending hold can be decided. */
const DECIDING = /^approvals[ .](approve|reject|edit|check|decide|decide-many)$/;

/**
 * The lists to search in order; the next one is searched only if no id of the first begins with the prefix. A decided hold is the last
 * resort: the server then says that it was decided.
 */
export function listsToSearch(commandId: string, list: IdList): readonly IdList[] {
  if (!DECIDING.test(commandId)) return [list];
  return [{ ...list, noun: 'pending holds', query: { ...list.query, status: 'pending' } }, list];
}

/** The list of the records that an argument identifies; null if it is not an id, or there is no list. */
export function listOf(commandId: string, argument: string): IdList | null {
  if (argument === 'deliveryId') return DELIVERIES;
  if (argument !== 'id' && argument !== 'ids') return null;
  return LISTS[/^[a-z]+/.exec(commandId)?.[0] ?? ''] ?? null;
}
