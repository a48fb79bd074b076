import { type ResultField, type ResultFields, type ResultRow, sqlTypeOf } from './result.ts';

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
