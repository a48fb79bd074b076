import type { Query } from '../db/client.ts';
import { type NotedChange, noteChanges } from '../db/queries/mcp-session-streams.ts';
import { readResourceStates } from '../db/queries/watched-resources.ts';
import type { WatchedUri } from '../events/resource-watcher.ts';
import type { StreamedSession } from './session-stream.ts';
import { isDecided, isElicitation } from './watched-names.ts';

interface Looked {
  readonly stream: StreamedSession;
  readonly name: string;
  readonly resource: WatchedUri;
}

/** Compares what these sessions watch with what their clients were last notified of, and notifies them of the difference. */
export async function notifySessions(query: Query, streams: readonly StreamedSession[]): Promise<void> {
  const looked = streams.filter(({ isActive }) => isActive).flatMap(toLooked);
  if (looked.length === 0) return;
  // Many agents may watch the same thing.
  const distinct = new Map(looked.map(({ resource }) => [keyOf(resource), resource]));
  const keys = [...distinct.keys()];
  const states = new Map<string | undefined, string>();
  for (const { index, state } of await readResourceStates(query, [...distinct.values()]))
    states.set(keys[index], state);
  const changes = new Map<StreamedSession, NotedChange[]>();
  for (const { stream, name, resource } of looked) {
    const state = states.get(keyOf(resource)) ?? null;
    const isDone = isElicitation(name);
    const isChanged = isDone ? isDecided(state) : stream.watched[name]?.state !== state;
    if (isChanged) changes.set(stream, [...(changes.get(stream) ?? []), { name, state, isDone }]);
  }
  await Promise.all([...changes].map(([stream, noted]) => notify(query, stream, noted)));
}

function keyOf({ kind, accountId, id, keyId }: WatchedUri): string {
  return `${accountId} ${kind} ${id} ${keyId}`;
}

function toLooked(stream: StreamedSession): readonly Looked[] {
  return Object.entries(stream.watched).flatMap(([name, { isDone = false }]) => {
    const resource = isDone ? null : stream.toWatched(name);
    return resource === null ? [] : [{ stream, name, resource }];
  });
}

async function notify(query: Query, stream: StreamedSession, changes: readonly NotedChange[]): Promise<void> {
  const noted = await noteChanges(query, stream, changes);
  if (noted === null) return;
  stream.push(
    noted.watched,
    changes.map(({ name }) => name),
  );
}
