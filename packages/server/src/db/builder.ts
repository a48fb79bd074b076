import { Column, drizzle, is, SQL, StringChunk, sql } from './drizzle.ts';

/**
 * Builds statements from the tables of `schema/` but runs none. `defineStatement` runs them on the caller's connection, with the account
 * and role that it is bound to.
 */
export const builder = drizzle(() =>
  Promise.reject(new Error('run a builder statement with defineStatement; it cannot be awaited')),
);

/**
 * The columns that a statement selects or returns. Each column is aliased to the name of its field, so that the driver's rows are the
 * result and two `id` columns do not collide. In the types they remain columns, so that a left join makes them nullable.
 */
export function named<Fields extends Readonly<Record<string, Column | SQL>>>(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, field]) => [name, sql`${field}`.as(name)]);
  return Object.fromEntries(entries) as Fields; // Only for the types: see above.
}

/** @throws if a field of the statement would not have the name that its type says */
export function assertNamed(built: object): void {
  const nameless = Object.entries(selectedBy(built)).filter(
    ([name, field]) => !is(field, SQL.Aliased) || field.fieldAlias !== name,
  );
  if (nameless.length > 0)
    throw new Error(`write named({ … }) around the fields ${nameless.map(([name]) => name).join(', ')}`);
}

/** The plain columns that a statement selects or returns. For expressions, only the TypeScript types are known. */
export function fieldsOf(built: object): Readonly<Record<string, Column>> {
  const entries = Object.entries(selectedBy(built)).flatMap(([name, field]): [string, Column][] => {
    const [only, ...others] = is(field, SQL.Aliased)
      ? field.sql.queryChunks.filter((chunk) => !is(chunk, StringChunk))
      : [];
    return others.length === 0 && is(only, Column) ? [[name, only]] : [];
  });
  return Object.fromEntries(entries);
}

function selectedBy(built: object): object {
  const config: unknown = Reflect.get(built, 'config'); // Where drizzle stores the statement's configuration.
  if (!(config instanceof Object)) throw new Error('not a statement of the builder');
  const fields: unknown = Reflect.get(config, 'fields') ?? Reflect.get(config, 'returningFields') ?? {};
  return Object(fields);
}
