export interface QueryResult<Row> extends Array<Row> {
  /** The number of rows returned or changed. */
  readonly count: number;
  /** The first word of the command tag. For COMMIT, it says whether the transaction was committed. */
  readonly command: string;
}

/**
 * Sends a prepared statement. Without parameters, sends the text as is, which may contain several statements.
 * @param plan `kept` lets a pool that is bound to an account reuse the statement's plan, whatever its parameters are
 */
export type Run = <Row>(text: string, parameters?: readonly unknown[], plan?: 'kept') => Promise<QueryResult<Row>>;
