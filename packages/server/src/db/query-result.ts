export interface QueryResult<Row> extends Array<Row> {
  /** The number of rows returned or changed. */
  readonly count: number;
  /** The first word of the command tag. For COMMIT, it says whether the transaction was committed. */
  readonly command: string;
  /** The columns in the order of the statement. */
  readonly columns: readonly { readonly name: string }[];
}

export interface RunOptions {
  /** `kept` lets a pool that is bound to an account reuse the statement's plan, whatever its parameters are. */
  readonly plan?: 'kept';
  /** True for rows that are lists of the values' bytes, as PostgreSQL sent them. Large texts are then not decoded. */
  readonly isRaw?: true | undefined;
}

/** Sends a prepared statement. Without parameters, sends the text as is, which may contain several statements. */
export type Run = <Row>(
  text: string,
  parameters?: readonly unknown[],
  options?: RunOptions,
) => Promise<QueryResult<Row>>;
