import { formatArray, formatTexts } from './array-types.ts';
import { type SQL, sql } from './drizzle.ts';
import { type ResultField, type ResultFields, type ResultRow, sqlTypeOf } from './result.ts';
import { type Several, several, type Value, value } from './statement.ts';

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

/** Records as one array literal for each field, which PostgreSQL reads faster than JSON. */
export interface RecordLists<Row> {
  /** The statement's parameter. */
  readonly parameter: Several<string | null>;
  /** Its values. A field that no row has is null, and costs nothing. */
  values(rows: readonly Row[]): readonly (string | null)[];
  /** The rows, with the fields as columns. */
  rows(given: readonly SQL[]): SQL;
}

/**
 * To read element `n` of an array, PostgreSQL reads all elements before it, so this is only fast for lists of this length. `unnest` reads each
 * once, but copies each of several arrays to a store of its own, which takes longer than all the rest for a dozen rows.
 */
const SHORT = 128;

/**
 * The planner cannot know this limit, so it expects a tenth of the thousand rows that it expects of a series, and joins for about as many as
 * there are.
 */
const NO_LIMIT = sql.raw('(SELECT 1000000000)');

/**
 * @param fields The first one may not be null.
 * @param length `short` if there are never more than a hundred rows
 */
export function recordLists<Fields extends ResultFields>(
  fields: Fields,
  length: 'short' | 'any',
): RecordLists<RecordOf<Fields> | SparseRecordOf<Fields>> {
  const columns = Object.entries(fields).map(([name, field]) => listColumn(name, sqlTypeOf(field)));
  const each = (toSql: (column: ListColumn, name: string) => string) =>
    sql.raw(columns.map((column) => toSql(column, `"${column.name}"`)).join(', '));
  const count = sql.raw(`cardinality(list."${columns[0]?.name}")`);
  const byPlace = sql`SELECT ${each(({ cast }, name) => `list.${name}[place.place]${cast} AS ${name}`)}
    FROM generate_series(1, ${count}) AS place`;
  const spread = sql`SELECT ${each(({ cast }, name) => `spread.${name}${cast} AS ${name}`)}
    FROM ROWS FROM (${each((_column, name) => `unnest(list.${name})`)}) AS spread (${each((_column, name) => name)})`;
  const rows =
    length === 'short'
      ? byPlace
      : sql`${byPlace} WHERE ${count} <= ${sql.raw(String(SHORT))} UNION ALL ${spread} WHERE ${count} > ${sql.raw(String(SHORT))}`;
  return {
    parameter: several(columns.length),
    values: (records) => columns.map(({ write }) => write(records)),
    rows(given) {
      const arrays = columns.map(
        ({ arrayType, name }, at) => sql`${given[at]}::text::${sql.raw(`${arrayType} AS "${name}"`)}`,
      );
      // OFFSET 0 keeps the planner from reading the texts again for each row.
      return sql`(SELECT r.* FROM (SELECT ${sql.join(arrays, sql`, `)} OFFSET 0) AS list, LATERAL (${rows}) AS r LIMIT ${NO_LIMIT})`;
    },
  };
}

interface ListColumn {
  readonly name: string;
  readonly arrayType: string;
  /** The cast of an element. */
  readonly cast: string;
  write(rows: readonly object[]): string | null;
}

/** Types whose values need no quotes in an array literal. */
const BARE: ReadonlySet<string> = new Set(['uuid', 'integer', 'smallint', 'boolean']);

function listColumn(name: string, type: string): ListColumn {
  if (BARE.has(type)) return { name, arrayType: `${type}[]`, cast: '', write: (rows) => writeBare(rows, name) };
  // An array of arrays would need them to have the same length, so each is one text.
  if (type.endsWith('[]')) {
    const write = (rows: readonly object[]) =>
      writeTexts(rows, name, (value) => formatArray(value as readonly unknown[]));
    return { name, arrayType: 'text[]', cast: `::${type}`, write };
  }
  const toText = type.startsWith('json') ? (value: unknown) => JSON.stringify(value) : toPlainText;
  return { name, arrayType: `${type}[]`, cast: '', write: (rows) => writeTexts(rows, name, toText) };
}

function writeBare(rows: readonly object[], name: string): string | null {
  let isAbsent = true;
  const values: unknown[] = [];
  for (const row of rows) {
    const value = fieldOf(row, name);
    isAbsent &&= value === null;
    values.push(value ?? 'NULL');
  }
  return isAbsent ? null : `{${values.join()}}`;
}

function writeTexts(rows: readonly object[], name: string, toText: (value: unknown) => string): string | null {
  let isAbsent = true;
  const texts: (string | null)[] = [];
  for (const row of rows) {
    const value = fieldOf(row, name);
    isAbsent &&= value === null;
    texts.push(value === null ? null : toText(value));
  }
  return isAbsent ? null : formatTexts(texts);
}

function toPlainText(value: unknown): string {
  return typeof value === 'string' ? value : String(formatted(value));
}

function fieldOf(row: object, name: string): unknown {
  return (row as Readonly<Record<string, unknown>>)[name] ?? null;
}

/** The names of the fields, as an alias lists them; with a table, as its columns. */
export function columnNames(fields: ResultFields, table?: string): SQL {
  const prefix = table === undefined ? '' : `${table}.`;
  const names = Object.keys(fields).map((name) => `${prefix}"${name}"`);
  return sql.raw(names.join(', '));
}
