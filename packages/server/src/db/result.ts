import { type Column, type GetColumnData, is, PgDialect, Placeholder, type SQL } from './drizzle.ts';

/** A statement from the builder, or from `returning` or `executing` below. */
export interface Built<Result> {
  readonly _: { readonly result: Result };
  /** Set for statements written as SQL. The builder keeps its own. */
  readonly fields?: ResultFields;
  /** Set for statements that only count the rows they change. */
  readonly counts?: true;
  toSQL(): Compiled;
}

export interface Compiled {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/**
 * A result field that is not simply a column: an expression, or a column whose nullability the statement changes. `sqlType` is the type as
 * PostgreSQL prints it; T is the type that the driver returns.
 */
export interface Expression<T> {
  readonly sqlType: string;
  readonly isNullable: boolean;
  /** True if the statement excludes the nulls that the column allows. */
  readonly excludesNull?: true;
  /** Only for the types. */
  readonly _value?: T;
}

export type ResultField = Column | Expression<unknown>;

/** The fields of a row, by their names in the statement. */
export type ResultFields = Readonly<Record<string, ResultField>>;

type FieldValue<F extends ResultField> =
  F extends Expression<infer T> ? T : F extends Column ? GetColumnData<F> : never;

export type ResultRow<Fields extends ResultFields> = { readonly [Name in keyof Fields]: FieldValue<Fields[Name]> };

/**
 * A statement written as SQL, for what the builder cannot express or would only obscure. Its result fields come from the tables.
 * test/db/prepared-statements.test.ts prepares each one on the migrated database and compares the names, types and nullability of its
 * results with these fields.
 */
export function returning<const Fields extends ResultFields>(
  fields: Fields,
  statement: SQL,
): Built<readonly ResultRow<Fields>[]> {
  return { _: { result: [] }, fields, toSQL: () => compile(statement) };
}

/** A statement written as SQL that returns no rows, only the number of rows it changed. */
export function executing(statement: SQL): Built<number> {
  return { _: { result: 0 }, fields: {}, counts: true, toSQL: () => compile(statement) };
}

/** A column or an expression that may be null here, such as after an outer join or for an aggregate over no rows. */
export function nullable<F extends ResultField>(field: F): Expression<FieldValue<F> | null> {
  return { sqlType: sqlTypeOf(field), isNullable: true };
}

/** A column that allows nulls, but whose nulls the statement excludes. */
export function present<F extends ResultField>(field: F): Expression<NonNullable<FieldValue<F>>> {
  return { sqlType: sqlTypeOf(field), isNullable: false, excludesNull: true };
}

/** An expression whose values are narrower than its SQL type, such as an enumeration or a JSON value of a known shape. */
export function narrowed<T>(field: Expression<unknown>): Expression<T> {
  return { sqlType: field.sqlType, isNullable: field.isNullable };
}

/** The types of expressions, by their short PostgreSQL names. */
export const pg = {
  bool: expression<boolean>('boolean'),
  smallint: expression<number>('smallint'),
  int4: expression<number>('integer'),
  /** 64 bits, which the driver returns as text. */
  int8: expression<string>('bigint'),
  /** The type of a sum of bigint, which the driver returns as text. */
  numeric: expression<string>('numeric'),
  float8: expression<number>('double precision'),
  text: expression<string>('text'),
  uuid: expression<string>('uuid'),
  /** The physical location of a row. */
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

/** Whether the declaration accepts nulls if the column allows them. */
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

/** Sends a parameter that is used twice only once; drizzle numbers every use. */
function compile(statement: SQL): Compiled {
  const { sql: text, params: uses } = dialect.sqlToQuery(statement);
  const numbers = new Map<unknown, number>();
  const params: unknown[] = [];
  const numberOf = uses.map((param) => {
    const name = is(param, Placeholder) ? param.name : Symbol('unnamed value');
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const number = params.push(param);
    numbers.set(name, number);
    return number;
  });
  return { sql: text.replaceAll(/\$(\d+)/g, (_use, given: string) => `$${numberOf[Number(given) - 1]}`), params };
}
