import { createRequire } from 'node:module';

/**
 * The parts of drizzle that we use, loaded as CommonJS. As ES modules, drizzle is 100 files, and Node (26.10) parses the 130 KB of exports
 * in drizzle's package.json again for each. That costs 0.4 s of CPU and 190 MB at every process start; CommonJS costs 0.05 s and 20 MB.
 */
const load = createRequire(import.meta.url);

export const {
  and,
  Column,
  desc,
  eq,
  fillPlaceholders,
  getTableColumns,
  gt,
  gte,
  is,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  not,
  or,
  Placeholder,
  SQL,
  StringChunk,
  sql,
} = load('drizzle-orm') as typeof import('drizzle-orm');

export type { GetColumnData } from 'drizzle-orm';
export type Placeholder = import('drizzle-orm').Placeholder;
export type Column = import('drizzle-orm').Column;
export type SQL<T = unknown> = import('drizzle-orm').SQL<T>;

export const {
  alias,
  bigint,
  boolean,
  check,
  customType,
  doublePrecision,
  foreignKey,
  getTableConfig,
  index,
  IndexedColumn,
  integer,
  PgDialect,
  pgPolicy,
  PgRole,
  pgRole,
  PgTable,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} = load('drizzle-orm/pg-core') as typeof import('drizzle-orm/pg-core');

export type { AnyPgColumn, Check, ForeignKey, Index, PgColumn, PgPolicy, PrimaryKey } from 'drizzle-orm/pg-core';
export type PgTable = import('drizzle-orm/pg-core').PgTable;
export type IndexedColumn = import('drizzle-orm/pg-core').IndexedColumn;

export const { drizzle } = load('drizzle-orm/pg-proxy') as typeof import('drizzle-orm/pg-proxy');
