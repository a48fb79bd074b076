import type { Sql } from '../db/client.ts';
import { readResourceStates, type WatchedResource } from '../db/queries/watched-resources.ts';
import { type ChangeWatcher, createChangeWatcher, type Watched, type WatchRequest } from './change-watcher.ts';

/** A resource, named by its URI. */
export type WatchedUri = Watched & WatchedResource;

export interface ResourceWatchRequest extends WatchRequest<WatchedUri> {
  /** Called twice a second. False ends the watch. */
  readonly isAllowed: () => Promise<boolean>;
}

/** Notifies agents when a resource they follow has changed. */
export type ResourceWatcher = ChangeWatcher<ResourceWatchRequest>;

export function createResourceWatcher(
  sql: Sql,
  { maxPerAccount }: { readonly maxPerAccount: number },
): ResourceWatcher {
  return createChangeWatcher<WatchedUri, ResourceWatchRequest>({
    readStates: (watched) => readStates(sql, watched),
    findAllowed: (requests) => Promise.all(requests.map(({ isAllowed }) => isAllowed().catch(() => true))),
    maxPerOwner: maxPerAccount,
  });
}

/** In the order of the resources; null if a resource does not exist. */
async function readStates(sql: Sql, resources: readonly WatchedUri[]): Promise<(string | null)[]> {
  const states: (string | null)[] = resources.map(() => null);
  if (resources.length === 0) return states;
  for (const { index, state } of await readResourceStates(sql, resources)) states[index] = state;
  return states;
}
