import { formatArray } from './array-types.ts';
import { type SQL, sql } from './drizzle.ts';
import { type ResultField, type ResultFields, type ResultRow, sqlTypeOf } from './result.ts';
import { type Value, value } from './statement.ts';

/** A record with these fields, as passed to `json_to_recordset`. */
export type RecordOf<Fields extends ResultFields> = ResultRow<Fields>;

/** The same record without null fields: for small values, field names are most of the bytes sent. */
export type SparseRecordOf<Fields extends ResultFields> = {
  readonly [Name in keyof Fields as IsNullable<Fields[Name]> extends true ? never : Name]: ValueOf<Fields[Name]>;
} & {
  readonly [Name in keyof Fields as IsNullable<Fields[Name]> extends true ? Name : never]?:
    | NonNullable<ValueOf<Fields[Name]>>
    | undefined;
};

type ValueOf<Field extends ResultField> = ResultRow<{ readonly field: Field }>['field'];
type IsNullable<Field extends ResultField> = null extends ValueOf<Field> ? true : false;

/** The column list of `json_to_recordset`: each field with its column's type. */
export function recordColumns(fields: ResultFields): string {
  return Object.entries(fields)
    .map(([name, field]) => `"${name}" ${sqlTypeOf(field)}`)
    .join(', ');
}

/** A statement's parameters for `unnested`: an array for each field. */
export function arraysOf<Fields extends ResultFields>(fields: Fields): ArrayParameters<Fields> {
  const names = Object.keys(fields).map((name) => [name, value()]);
  return Object.fromEntries(names) as ArrayParameters<Fields>; // Built with the same names.
}

type ArrayParameters<Fields extends ResultFields> = { readonly [Name in keyof Fields]: Value<ArrayOf<Fields[Name]>> };

/** The driver formats no array of times, so they are sent as text. */
type ArrayOf<Field extends ResultField> = readonly Formatted<ValueOf<Field>>[];
type Formatted<T> = T extends Date ? string : T;

/** The values for the parameters of `arraysOf`. */
export function toArrays<Fields extends ResultFields>(
  fields: Fields,
  rows: readonly RecordOf<Fields>[],
): { readonly [Name in keyof Fields]: ArrayOf<Fields[Name]> } {
  const arrays = Object.keys(fields).map((name) => [name, rows.map((row) => formatted(row[name]))]);
  return Object.fromEntries(arrays) as { [Name in keyof Fields]: ArrayOf<Fields[Name]> }; // Built with the same names.
}

function formatted(given: unknown): unknown {
  return given instanceof Date ? given.toISOString() : given;
}

/** `unnest` of an array for each field, with the column's type. Its alias needs `columnNames`. */
export function unnested<Fields extends ResultFields>(fields: Fields, given: GivenArrays<Fields>): SQL {
  const arrays = Object.entries(fields).map(([name, field]) => arrayOf(field, given[name]));
  return sql`unnest(${sql.join(arrays, sql`, `)})`;
}

type GivenArrays<Fields extends ResultFields> = { readonly [Name in keyof Fields]: SQL };

/** An array parameter, with the type of the column that its elements are of. */
export function arrayOf(field: ResultField, given: SQL | undefined): SQL {
  const type = sqlTypeOf(field);
  return sql`${given}::${sql.raw(type === TIME ? `text[]::${type}[]` : `${type}[]`)}`;
}

const TIME = 'timestamp with time zone';

/** A statement's parameters for `readLiterals`: an array literal for each field. */
export function literalsOf<Fields extends ResultFields>(fields: Fields): LiteralParameters<Fields> {
  const names = Object.keys(fields).map((name) => [name, value<string>()]);
  return Object.fromEntries(names) as LiteralParameters<Fields>; // Built with the same names.
}

type LiteralParameters<Fields extends ResultFields> = { readonly [Name in keyof Fields]: Value<string> };

/** An array for each field, named as the field, from the array literals of `literalsOf`. */
export function readLiterals<Fields extends ResultFields>(fields: Fields, given: GivenArrays<Fields>): SQL {
  const arrays = Object.entries(fields).map(
    ([name, field]) => sql`${given[name]}::text::${sql.raw(`${sqlTypeOf(field)}[] AS "${name}"`)}`,
  );
  return sql.join(arrays, sql`, `);
}

/** Types whose values need no quotes in an array literal. */
const BARE: ReadonlySet<string> = new Set(['uuid', 'integer', 'smallint']);

/** The values for the parameters of `literalsOf`. PostgreSQL reads array literals in a third of the time of JSON. */
export function toLiterals<Fields extends ResultFields>(
  fields: Fields,
  rows: readonly RecordOf<Fields>[],
): { readonly [Name in keyof Fields]: string } {
  const literals = Object.entries(fields).map(([name, field]) => {
    const values = rows.map((row) => row[name]);
    return [
      name,
      BARE.has(sqlTypeOf(field)) ? `{${values.map((value) => value ?? 'NULL').join()}}` : formatArray(values),
    ];
  });
  return Object.fromEntries(literals) as { [Name in keyof Fields]: string }; // Built with the same names.
}

/**
 * The rows of the array literals of `literalsOf`. The planner expects ten rows from `unnest`, and would join two such lists by comparing all
 * pairs of rows. The last function returns no rows, but the planner expects a hundred, and so chooses a better join.
 */
export function unnestedLiterals<Fields extends ResultFields>(fields: Fields, given: GivenArrays<Fields>): SQL {
  const arrays = Object.entries(fields).map(
    ([name, field]) => sql`unnest(${given[name]}::text::${sql.raw(`${sqlTypeOf(field)}[]`)})`,
  );
  return sql`(SELECT ${columnNames(fields)} FROM ROWS FROM (${sql.join(arrays, sql`, `)}, json_array_elements('[]')) AS list (${columnNames(fields)}, nothing))`;
}

/** The names of the fields, as an alias lists them; with a table, as its columns. */
export function columnNames(fields: ResultFields, table?: string): SQL {
  const prefix = table === undefined ? '' : `${table}.`;
  const names = Object.keys(fields).map((name) => `${prefix}"${name}"`);
  return sql.raw(names.join(', '));
}
