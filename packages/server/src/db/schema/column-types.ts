import { bigint, customType } from '../drizzle.ts';

/**
 * Types of columns as the driver (postgres.js, as opened by client.ts) writes and reads them. None of them converts a value: the driver has
 * already done what drizzle's own `timestamp`, `jsonb` and `array` would do. test/db/column-types.test.ts compares each with the driver.
 */

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

export const timestamptz = customType<{ data: Date }>({ dataType: () => 'timestamptz' });

/** Midnight UTC of the day. */
export const date = customType<{ data: Date }>({ dataType: () => 'date' });

/** 64 bits, which the driver reads as a string. */
export function int8(name: string) {
  return bigint(name, { mode: 'bigint' }).$type<string>();
}

/** A transaction number, as a string. */
export const xid8 = customType<{ data: string }>({ dataType: () => 'xid8' });

const jsonColumn = customType<{ data: unknown }>({ dataType: () => 'json' });

/** JSON with the key order and spelling that it was stored with. */
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

/** An array that the driver has no reader for (see array-types.ts): a PostgreSQL array literal in braces. */
export const int8Array = customType<{ data: string }>({ dataType: () => 'bigint[]' });

/** As above. */
export const timestamptzArray = customType<{ data: string }>({ dataType: () => 'timestamptz[]' });

/** One bit for each of 65,536 values, as zeros and ones. */
export const bits = customType<{ data: string }>({ dataType: () => 'bit(65536)' });
