import { Column, drizzle, is, SQL, StringChunk, sql } from './drizzle.ts';

/**
 * Builds statements from the tables of `schema/`, and runs none: `defineStatement` sends them down the connection that the caller has, with the
 * account and the role it is bound to.
 */
export const builder = drizzle(() =>
  Promise.reject(new Error('a statement of the builder runs by defineStatement, not by being awaited')),
);

/**
 * What a statement selects or returns: each column is called by the name of its field, so that the rows of the driver are the result and two
 * columns `id` never collide. To the types they are still columns, which a left join makes nullable.
 */
export function named<Fields extends Readonly<Record<string, Column | SQL>>>(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, field]) => [name, sql`${field}`.as(name)]);
  return Object.fromEntries(entries) as Fields; // For the types alone: see above.
}

/** @throws where a field of the statement would not be called what its type says */
export function assertNamed(built: object): void {
  const nameless = Object.entries(selectedBy(built)).filter(
    ([name, field]) => !is(field, SQL.Aliased) || field.fieldAlias !== name,
  );
  if (nameless.length > 0)
    throw new Error(`write named({ … }) around the fields ${nameless.map(([name]) => name).join(', ')}`);
}

/** The columns that a statement selects or returns as they are; of its expressions nothing is known but their types in TypeScript. */
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
  const config: unknown = Reflect.get(built, 'config'); // Where drizzle keeps what was asked for.
  if (!(config instanceof Object)) throw new Error('not a statement of the builder');
  const fields: unknown = Reflect.get(config, 'fields') ?? Reflect.get(config, 'returningFields') ?? {};
  return Object(fields);
}
