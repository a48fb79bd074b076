import { queryOf, withQuery } from '../../page-address.ts';
import type { PageForm } from '../../page-form.ts';
import { texts } from '../../page-query.ts';

export const LOG_PATH = '/console/messages';

/** The filters with one value, as in the address of the page and in the query of the operation. */
const SINGLE = [
  'q',
  'status',
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

/** The parameters of the log's address. */
export const LOG_QUERY = { ...texts([...SINGLE, 'cursor']), tag: 'list' } as const;

type SingleFilter = (typeof SINGLE)[number];

export type FilterName = SingleFilter | 'tag';

/** The filters of the log, as the page's address has them. */
export interface LogFilters extends Partial<Readonly<Record<SingleFilter, string>>> {
  /** All of these. */
  readonly tag: readonly string[];
}

/** Reads the filters of a page's address. Tags can be repeated, or separated by commas as in the form. */
export function readFilters(query: PageForm): LogFilters {
  return { ...queryOf(query, SINGLE), tag: [...new Set(query.list('tag'))] };
}

/** The address of the log with these filters, from the first page on. */
export function logAddress(filters: LogFilters, cursor: string | null = null): string {
  return withQuery(LOG_PATH, { ...filters, cursor });
}

/** The same filters with one replaced or, by the empty text, removed. */
export function withFilter(filters: LogFilters, name: SingleFilter, value: string): LogFilters {
  return { ...filters, [name]: value };
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

/** The filters in force. */
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
  return [...single, ...tags];
}
