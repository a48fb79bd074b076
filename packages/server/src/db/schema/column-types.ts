import { bigint, customType } from '../drizzle.ts';

/**
 * Types of columns as the driver (postgres.js, as client.ts opens it) writes and reads them. None of them converts a value: what drizzle's own
 * `timestamp`, `jsonb` and `array` would make of one, the driver has made of it already. test/db/column-types.test.ts compares each with the
 * driver.
 */

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

export const timestamptz = customType<{ data: Date }>({ dataType: () => 'timestamptz' });

/** Midnight UTC of the day. */
export const date = customType<{ data: Date }>({ dataType: () => 'date' });

/** 64 bits, which the driver reads as text. */
export function int8(name: string) {
  return bigint(name, { mode: 'bigint' }).$type<string>();
}

/** The number of a transaction, as text. */
export const xid8 = customType<{ data: string }>({ dataType: () => 'xid8' });

const jsonColumn = customType<{ data: unknown }>({ dataType: () => 'json' });

/** JSON in the order and the spelling it was stored in. */
export function json<T>(name: string) {
  return jsonColumn(name).$type<T>();
}

const jsonbColumn = customType<{ data: unknown }>({ dataType: () => 'jsonb' });

export function jsonb<T>(name: string) {
  return jsonbColumn(name).$type<T>();
}

const textArrayColumn = customType<{ data: readonly string[] }>({ dataType: () => 'text[]' });

export function textArray<T extends string = string>(name: string) {
  return textArrayColumn(name).$type<readonly T[]>();
}

export const uuidArray = customType<{ data: readonly string[] }>({ dataType: () => 'uuid[]' });

export const smallintArray = customType<{ data: readonly number[] }>({ dataType: () => 'smallint[]' });

/** An array that the driver has no reader for (see array-types.ts): as PostgreSQL writes it, in braces. */
export const int8Array = customType<{ data: string }>({ dataType: () => 'bigint[]' });

/** The same. */
export const timestamptzArray = customType<{ data: string }>({ dataType: () => 'timestamptz[]' });
