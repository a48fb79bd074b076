/**
 * Resources that are watched for one listener. Their state is read before the watch is returned, so that changes between its opening
 * and its start are reported too.
 */
export interface ResourceWatch {
  /** Reports changes from now on, one call per change seen. `onEnd`: nothing more will be reported. */
  start(onChange: (uri: string) => void, onEnd: () => void): void;
  /** May be called twice, and without a start. */
  close(): void;
}

/** Opens a watch. What the caller may not read is left out, without a word of whether it exists. Null where there are too many already. */
export type WatchResources = (uris: readonly string[]) => Promise<ResourceWatch | null>;
