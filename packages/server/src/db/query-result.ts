/** The result of a statement: its rows. */
export interface QueryResult<Row> extends Array<Row> {
  /** How many rows it returned or changed. */
  readonly count: number;
  /** The command tag's first word; for COMMIT, whether the transaction was committed. */
  readonly command: string;
}

/** Sends a prepared statement; without parameters, the text as it is, which may be several statements. */
export type Run = <Row>(text: string, parameters?: readonly unknown[]) => Promise<QueryResult<Row>>;
