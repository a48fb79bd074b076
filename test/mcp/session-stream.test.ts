import { expect, it } from 'vitest';
import type { WatchedUri } from '../../packages/server/src/events/resource-watcher.ts';
import type { Caller } from '../../packages/server/src/keys/caller.ts';
import { createSessionStream } from '../../packages/server/src/mcp-sessions/session-stream.ts';

it('keeps one event for each resource while the client reads nothing', { tags: ['mcp.sessions-bounded'] }, async () => {
  // Only these fields are read here.
  const caller = { accountId: 'a' } as Caller;
  const toWatched = (name: string) => (name === 'hidden' ? null : ({} as WatchedUri));
  const stream = createSessionStream({ caller, sessionId: 's', lastEvent: null, toWatched }, 'stream', () => {});
  for (let event = 1; event <= 1_000; event += 1) {
    const name = ['first', 'second', 'hidden'][event % 3] ?? '';
    stream.session.push({ [name]: { state: String(event), event } }, [name]);
  }
  expect(await stream.next(0)).toEqual([
    { name: 'first', event: 999 },
    { name: 'second', event: 1_000 },
  ]);
  expect(await stream.next(0)).toEqual([]);
  stream.close();
  expect(await stream.next(0)).toBeNull();
});
