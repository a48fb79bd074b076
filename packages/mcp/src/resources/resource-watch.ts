/**
 * Watches resources for one listener. Their state is read before the watch is returned, so that changes between opening and starting it
 * are reported too.
 */
export interface ResourceWatch {
  /** Starts reporting changes, one call for each. After `onEnd` no more are reported. */
  start(onChange: (uri: string) => void, onEnd: () => void): void;
  /** Can be called more than once, and before `start`. */
  close(): void;
}

/** Opens a watch. Silently skips what the caller may not read, so that it does not reveal whether it exists. Null if too many are open. */
export type WatchResources = (uris: readonly string[]) => Promise<ResourceWatch | null>;
