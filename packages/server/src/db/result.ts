import { type Column, type GetColumnData, is, PgDialect, Placeholder, type SQL } from './drizzle.ts';

/** What the builder makes, or `returning` and `executing` below. */
export interface Built<Result> {
  readonly _: { readonly result: Result };
  /** Of a statement written as SQL. The builder keeps its own. */
  readonly fields?: ResultFields;
  /** Of one that only counts the rows that it changes. */
  readonly counts?: true;
  toSQL(): Compiled;
}

export interface Compiled {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/**
 * A field of a result that is not simply a column: an expression, or a column whose nullability the statement changes. `sqlType` is as
 * PostgreSQL prints the type; T is what the driver reads it as.
 */
export interface Expression<T> {
  readonly sqlType: string;
  readonly isNullable: boolean;
  /** True where the statement excludes the nulls that the column may have. */
  readonly excludesNull?: true;
  /** For the types alone. */
  readonly _value?: T;
}

export type ResultField = Column | Expression<unknown>;

/** The fields of a row, by the names that the statement gives them. */
export type ResultFields = Readonly<Record<string, ResultField>>;

type FieldValue<F extends ResultField> =
  F extends Expression<infer T> ? T : F extends Column ? GetColumnData<F> : never;

export type ResultRow<Fields extends ResultFields> = { readonly [Name in keyof Fields]: FieldValue<Fields[Name]> };

/**
 * A statement written as SQL, with the fields of its result picked from the tables: for what the builder cannot say or would only obscure.
 * test/db/prepared-statements.test.ts prepares each one on the migrated database, and compares the names, types and nullability of what it
 * returns with these fields.
 */
export function returning<const Fields extends ResultFields>(
  fields: Fields,
  statement: SQL,
): Built<readonly ResultRow<Fields>[]> {
  return { _: { result: [] }, fields, toSQL: () => compile(statement) };
}

/** A statement written as SQL that returns no rows, but the number of those that it changed. */
export function executing(statement: SQL): Built<number> {
  return { _: { result: 0 }, fields: {}, counts: true, toSQL: () => compile(statement) };
}

/** A column or an expression that may be null here: behind an outer join, as an aggregate over no rows. */
export function nullable<F extends ResultField>(field: F): Expression<FieldValue<F> | null> {
  return { sqlType: sqlTypeOf(field), isNullable: true };
}

/** A column that may be null in its table, and is not in these rows: the statement itself excludes it. */
export function present<F extends ResultField>(field: F): Expression<NonNullable<FieldValue<F>>> {
  return { sqlType: sqlTypeOf(field), isNullable: false, excludesNull: true };
}

/** An expression with values narrower than its type, such as words of a list or the shape of a JSON value. */
export function narrowed<T>(field: Expression<unknown>): Expression<T> {
  return { sqlType: field.sqlType, isNullable: field.isNullable };
}

/** The types of expressions, by their short names in PostgreSQL. */
export const pg = {
  bool: expression<boolean>('boolean'),
  smallint: expression<number>('smallint'),
  int4: expression<number>('integer'),
  /** 64 bits, which the driver reads as text. */
  int8: expression<string>('bigint'),
  /** What a sum of bigint is; the driver reads it as text. */
  numeric: expression<string>('numeric'),
  float8: expression<number>('double precision'),
  text: expression<string>('text'),
  uuid: expression<string>('uuid'),
  /** Where a row is. */
  tid: expression<string>('tid'),
  bytea: expression<Buffer>('bytea'),
  timestamptz: expression<Date>('timestamp with time zone'),
  /** Midnight UTC of the day. */
  date: expression<Date>('date'),
  json: expression<unknown>('json'),
  jsonb: expression<unknown>('jsonb'),
  textArray: expression<string[]>('text[]'),
  uuidArray: expression<string[]>('uuid[]'),
  smallintArray: expression<number[]>('smallint[]'),
  int4Array: expression<number[]>('integer[]'),
} as const;

/** Whether the declaration lets a field be null that its table lets be null. */
export function allowsNull(field: ResultField): boolean {
  return 'isNullable' in field ? field.isNullable || field.excludesNull === true : !field.notNull;
}

/** The type of a field as PostgreSQL prints it. */
export function sqlTypeOf(field: ResultField): string {
  if ('isNullable' in field) return field.sqlType;
  const declared = field.getSQLType();
  return declared.replace(/^timestamptz(?=$|\[)/, 'timestamp with time zone');
}

function expression<T>(sqlType: string): Expression<T> {
  return { sqlType, isNullable: false };
}

const dialect = new PgDialect();

/** A parameter that is used twice is sent once: drizzle numbers every use. */
function compile(statement: SQL): Compiled {
  const { sql: text, params: uses } = dialect.sqlToQuery(statement);
  const numbers = new Map<unknown, number>();
  const params: unknown[] = [];
  const numberOf = uses.map((param) => {
    const name = is(param, Placeholder) ? param.name : Symbol('a value of its own');
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const number = params.push(param);
    numbers.set(name, number);
    return number;
  });
  return { sql: text.replaceAll(/\$(\d+)/g, (_use, given: string) => `$${numberOf[Number(given) - 1]}`), params };
}
