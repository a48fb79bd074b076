import { LIMITS } from '@postrider/core';
import type { Sql } from '../db/client.ts';
import { createLiveWatcher, type FindAllowed, type LiveWatcher } from './live-watcher.ts';
import { createMessageWaiter, type MessageWaiter } from './message-waiter.ts';
import { createResourceWatcher, type ResourceWatcher } from './resource-watcher.ts';

/** Lets callers wait for changes. */
export interface Events {
  /** Waits until a message is settled. */
  readonly waiter: MessageWaiter;
  /** Watches the resources of MCP subscriptions. */
  readonly watcher: ResourceWatcher;
  /** Watches the lists that pages of the console show. */
  readonly live: LiveWatcher;
}

/**
 * @param isSettled whether a wait for a message is over, unless it asks for something else
 * @param findAllowed whether sessions that watch a list may still read it
 */
export function createEvents(
  sql: Sql,
  isSettled: Parameters<typeof createMessageWaiter>[1],
  findAllowed: FindAllowed,
): Events {
  return {
    waiter: createMessageWaiter(sql, isSettled),
    watcher: createResourceWatcher(sql, { maxPerAccount: LIMITS.mcpSubscriptionsPerAccount }),
    live: createLiveWatcher(sql, findAllowed),
  };
}
