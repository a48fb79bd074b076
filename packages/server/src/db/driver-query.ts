import type { PendingQuery, ReservedSql, Sql } from 'postgres';

/** Driver options that its types lack. `onexecute` must return true. */
export interface SendOptions {
  readonly onexecute?: (connection: { readonly id: number }) => true;
  /** See RunOptions. */
  readonly isRaw?: true;
}

/**
 * A driver query, which is sent when its result is first awaited. With a parameter list, even an empty one, it is prepared; without one, it
 * is sent as plain text.
 */
export function queryOn<Row>(
  on: Sql | ReservedSql,
  text: string,
  parameters?: readonly unknown[],
  { isRaw, ...options }: SendOptions = {},
): PendingQuery<Row[] & object[]> {
  const isPrepared = parameters !== undefined;
  const how = { prepare: isPrepared, simple: !isPrepared, ...options } as { prepare: boolean }; // The driver's types lack the others.
  const query = on.unsafe<Row[] & object[]>(text, [...(parameters ?? [])] as never[], how);
  if (isRaw === true) query.raw();
  return query;
}

/**
 * Releases the parameters of a query that has ended. The driver (postgres.js 3.4) assigns two new functions to each query. V8 creates such
 * functions in the old generation, so they would keep the parameters in memory until the next major collection.
 */
export function releaseParameters(query: object): void {
  for (const name of ['args', 'parameters']) {
    const values: unknown = Reflect.get(query, name);
    if (Array.isArray(values)) values.length = 0;
  }
}
