/** What handlers use of the request log, which is written in batches. */
export interface RequestHistory {
  /** Writes the requests this process has responded to, unless the database is away. */
  settle(): Promise<void>;
}
