/** The rows of a statement. */
export interface Answer<Row> extends Array<Row> {
  /** How many rows it returned or changed. */
  readonly count: number;
  /** Its first word, or what became of a transaction. */
  readonly command: string;
}

/** Sends a statement, prepared; without parameters as it is, where it may also be several. */
export type Run = <Row>(text: string, parameters?: readonly unknown[]) => Promise<Answer<Row>>;
