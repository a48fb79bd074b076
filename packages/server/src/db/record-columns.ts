import type { Column, GetColumnData } from './drizzle.ts';

type Columns = Readonly<Record<string, Column>>;

/** A record of these columns, as it is given to `json_to_recordset`. */
export type RecordOf<C extends Columns> = { readonly [Name in keyof C]: GetColumnData<C[Name]> };

/** The column list of `json_to_recordset`: each field with the type of its column. */
export function recordColumns(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, column]) => `"${name}" ${column.getSQLType()}`)
    .join(', ');
}
