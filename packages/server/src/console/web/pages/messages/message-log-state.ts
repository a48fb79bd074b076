import type { MessageStatus } from '@postrider/core';
import { queryOf, withQuery } from '../../page-address.ts';
import type { PageForm } from '../../page-form.ts';

export const LOG_PATH = '/console/messages';

/** The filters with one value, as in the address of the page and in the query of the operation. */
const SINGLE = [
  'q',
  'channel',
  'source',
  'agent_name',
  'key_id',
  'recipient',
  'domain',
  'sender',
  'from',
  'to',
] as const;

type SingleFilter = (typeof SINGLE)[number];

export type FilterName = SingleFilter | 'status' | 'tag';

/** The filters of the log, as the page's address has them. */
export interface LogFilters extends Partial<Readonly<Record<SingleFilter, string>>> {
  /** Any of these. */
  readonly status: readonly string[];
  /** All of these. */
  readonly tag: readonly string[];
}

/** Reads the filters of a page's address. Statuses and tags can be repeated, or separated by commas as in the form. */
export function readFilters(query: PageForm): LogFilters {
  const listOf = (name: string) => [...new Set(query.list(name))];
  return { ...queryOf(query, SINGLE), status: listOf('status'), tag: listOf('tag') };
}

/** Everything that was not delivered and will not be without someone's help. Deferred messages are retried without it. */
const PROBLEM_STATUSES = [
  'bounced',
  'complained',
  'failed',
  'suppressed',
  'rejected',
  'expired',
] as const satisfies readonly MessageStatus[];

export const PROBLEMS = { label: 'Problems', statuses: PROBLEM_STATUSES } as const;

/** Whether these are exactly the statuses of the view, in any order. */
export function hasStatuses({ status }: Pick<LogFilters, 'status'>, statuses: readonly string[]): boolean {
  return status.length === statuses.length && statuses.every((one) => status.includes(one));
}

/** The address of the log with these filters, from the first page on. */
export function logAddress(filters: LogFilters, cursor: string | null = null): string {
  return withQuery(LOG_PATH, { ...filters, cursor });
}

/** The same filters with one replaced or, by the empty text, removed. */
export function withFilter(filters: LogFilters, name: SingleFilter, value: string): LogFilters {
  return { ...filters, [name]: value };
}

export function withStatus(filters: LogFilters, ...status: readonly string[]): LogFilters {
  return { ...filters, status };
}

export function withTag(filters: LogFilters, tag: string): LogFilters {
  return { ...filters, tag: [...filters.tag.filter((one) => one !== tag), tag] };
}

interface ActiveFilter {
  readonly name: FilterName;
  readonly value: string;
  /** The filters that are left without it. */
  readonly without: LogFilters;
}

/** The filters in force. The statuses of the problems are one. */
export function activeFilters(filters: LogFilters): readonly ActiveFilter[] {
  const single = SINGLE.flatMap((name) => {
    const value = filters[name];
    return value === undefined || value === '' ? [] : [{ name, value, without: withFilter(filters, name, '') }];
  });
  const tags = filters.tag.map((tag) => ({
    name: 'tag' as const,
    value: tag,
    without: { ...filters, tag: filters.tag.filter((one) => one !== tag) },
  }));
  return [...statusFilters(filters), ...single, ...tags];
}

function statusFilters(filters: LogFilters): readonly ActiveFilter[] {
  if (hasStatuses(filters, PROBLEM_STATUSES))
    return [{ name: 'status', value: PROBLEMS.label, without: withStatus(filters) }];
  return filters.status.map((value) => ({
    name: 'status',
    value,
    without: withStatus(filters, ...filters.status.filter((one) => one !== value)),
  }));
}
