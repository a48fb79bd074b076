export interface QueryResult<Row> extends Array<Row> {
  /** The number of rows returned or changed. */
  readonly count: number;
  /** The first word of the command tag. For COMMIT, it says whether the transaction was committed. */
  readonly command: string;
}

/** Sends a prepared statement. Without parameters, sends the text as is, which may contain several statements. */
export type Run = <Row>(text: string, parameters?: readonly unknown[]) => Promise<QueryResult<Row>>;
