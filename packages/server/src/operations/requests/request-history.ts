/** The parts of the request log that handlers use. It is written in batches. */
export interface RequestHistory {
  /** Writes the logged requests of this process, unless the database is unavailable. */
  settle(): Promise<void>;
}
