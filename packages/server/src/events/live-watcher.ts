import { LIMITS, type Scope } from '@postrider/core';
import type { Sql } from '../db/client.ts';
import { type LiveSubject, readLiveStates } from '../db/queries/live-topics.ts';
import { type ChangeWatcher, createChangeWatcher, type Watched, type WatchRequest } from './change-watcher.ts';

/** The session of a page, and the scopes that it must keep. */
export interface WatchingSession {
  readonly sessionId: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
}

/** A topic of one account, named as the page asked for it. */
export type WatchedTopic = Watched & LiveSubject;

export interface LiveWatchRequest extends WatchRequest<WatchedTopic> {
  readonly session: WatchingSession;
}

/** Notifies pages of the console when a list that they show has changed. */
export type LiveWatcher = ChangeWatcher<LiveWatchRequest>;

/** Whether each session is still active and has its scopes. */
export type FindAllowed = (sessions: readonly WatchingSession[]) => Promise<readonly boolean[]>;

export function createLiveWatcher(sql: Sql, findAllowed: FindAllowed): LiveWatcher {
  return createChangeWatcher<WatchedTopic, LiveWatchRequest>({
    readStates: (watched) => readStates(sql, watched),
    findAllowed: (requests) => findAllowed(requests.map(({ session }) => session)),
    maxPerOwner: LIMITS.consoleStreamsPerUser,
    maxWatches: LIMITS.consoleStreams,
  });
}

/** In the order of the topics. What several pages show is read once. */
async function readStates(sql: Sql, topics: readonly WatchedTopic[]): Promise<readonly (string | null)[]> {
  if (topics.length === 0) return [];
  const subjects = new Map(topics.map((topic) => [identify(topic), topic]));
  const places = new Map([...subjects.keys()].map((key, place) => [key, place]));
  const states: (string | null)[] = [];
  for (const { index, state } of await readLiveStates(sql, [...subjects.values()])) states[index] = state;
  return topics.map((topic) => states[places.get(identify(topic)) ?? -1] ?? null);
}

function identify({ kind, accountId, messageId }: LiveSubject): string {
  return `${kind} ${accountId} ${messageId}`;
}
