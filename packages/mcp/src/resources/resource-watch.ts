/**
 * Resources that are watched for one listener. What they were like is known by the time there is a watch, so a change between its opening
 * and its start is told too.
 */
export interface ResourceWatch {
  /** Tells of changes from now on, one call for each time that a resource was seen to have changed. `onEnd`: nothing more will be told. */
  start(onChange: (uri: string) => void, onEnd: () => void): void;
  /** May be called twice, and without a start. */
  close(): void;
}

/** Opens a watch. What the caller may not read is left out, without a word of whether it exists. Null where there are too many already. */
export type WatchResources = (uris: readonly string[]) => Promise<ResourceWatch | null>;
