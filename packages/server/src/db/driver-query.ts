import type { PendingQuery, ReservedSql, Sql } from 'postgres';

/** Of the driver, which its types do not know. `onexecute` must return true. */
export interface SendOptions {
  readonly onexecute?: (connection: { readonly id: number }) => true;
}

/** A query of the driver, which is sent when its result is first awaited: prepared if it has parameters, be it none, else as it is. */
export function queryOn<Row>(
  on: Sql | ReservedSql,
  text: string,
  parameters?: readonly unknown[],
  options?: SendOptions,
): PendingQuery<Row[] & object[]> {
  const isPrepared = parameters !== undefined;
  const how = { prepare: isPrepared, simple: !isPrepared, ...options } as { prepare: boolean }; // The types do not know the others.
  return on.unsafe<Row[] & object[]>(text, [...(parameters ?? [])] as never[], how);
}
