import { randomBytes } from 'node:crypto';
import { LIMITS } from '@postrider/core';
import type { McpSession, McpSessionEvent, McpSessionStream, McpSessions } from '@postrider/mcp';
import type { AccountSql } from '../db/client.ts';
import {
  addReply,
  addWatched,
  boundMcpSessions,
  endMcpSession,
  readMcpSession,
  removeWatched,
  storeLogLevel,
  touchMcpSessions,
} from '../db/queries/mcp-sessions.ts';
import { readResourceStates } from '../db/queries/watched-resources.ts';
import type { Caller } from '../keys/caller.ts';
import { packDeclared, unpackDeclared } from '../mcp-sessions/declared-client.ts';
import type { SessionContent, SessionIds } from '../mcp-sessions/session-id.ts';
import type { SessionEvent, SessionStream } from '../mcp-sessions/session-stream.ts';
import type { SessionWatcher } from '../mcp-sessions/session-watcher.ts';
import { approvalOfName, elicitationName, uriOfName } from '../mcp-sessions/watched-names.ts';
import type { Services } from '../operations/context.ts';
import { timeOfId } from '../uuid-v7.ts';
import { toReadable } from './watch-resources.ts';

export interface McpSessionParts {
  readonly ids: SessionIds;
  readonly watcher: SessionWatcher;
}

const HOUR_MS = 3_600_000;
/** Rows in use are touched no more often than this. */
const TOUCH_AFTER_MS = 10 * 60_000;
const NONCE_BYTES = 9;
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** The sessions of a key. What one changed is in its row, and everything else in its id. */
export function createMcpSessions(caller: Caller, services: Services, { ids, watcher }: McpSessionParts): McpSessions {
  const { accountId, keyId } = caller;
  const { clock, ids: uuids } = services.database;

  async function find(signed: string): Promise<McpSession | null> {
    const content = ids.read(caller, signed);
    if (content === null) return null;
    const { sql } = services.forAccount(accountId).database;
    const now = clock.now();
    if (hoursSince(timeOfId(content.id), now) > LIMITS.mcpSessionDays * 24) return null;
    const stored = await readMcpSession(sql, accountId, content.id);
    if (stored === null) return toSession(sql, content, null);
    if (stored.endedAt !== null || hoursSince(stored.seenAt, now) > LIMITS.mcpSessionIdleHours) return null;
    if (now.getTime() - stored.seenAt.getTime() > TOUCH_AFTER_MS)
      await touchMcpSessions(sql, [{ accountId, id: content.id }], now);
    return toSession(sql, content, LEVELS.find((level) => level === stored.logLevel) ?? null);
  }

  function toSession(sql: AccountSql, content: SessionContent, logLevel: McpSession['logLevel']): McpSession {
    const { id } = content;
    const session = { accountId, keyId, id };

    /** The row of a session is bounded when it is made. */
    async function bound(isFirst: boolean): Promise<void> {
      if (isFirst) await boundMcpSessions(sql, accountId, keyId, clock.now());
    }

    async function watch(name: string): Promise<boolean> {
      const resource = toReadable(uriOfName(name), caller);
      const [found] = resource === null ? [] : await readResourceStates(sql, [resource]);
      const added = await addWatched(sql, session, { name, state: found?.state ?? null, now: clock.now() });
      if (added !== null) await bound(added.isFirst);
      return added !== null;
    }

    return {
      declared: unpackDeclared(content),
      logLevel,
      setLogLevel: async (level) => bound(await storeLogLevel(sql, session, level, clock.now())),
      subscribe: async (uri) => {
        if (!(await watch(uri))) throw new Error(TOO_MANY);
      },
      unsubscribe: (uri) => removeWatched(sql, accountId, id, uri),
      awaitDecision: async (approvalId) => {
        await watch(elicitationName(approvalId));
      },
      newRequestId: () => ids.signRequest(id, randomBytes(NONCE_BYTES).toString('base64url')),
      awaitReply: (requestId, onReply) =>
        // Replies are stored as they arrived, and the library checks them.
        watcher.awaitReply(session, requestId, (reply) => onReply(reply as Parameters<typeof onReply>[0])),
      reply: async (requestId, reply) => {
        if (!ids.isRequest(id, requestId) || watcher.deliverReply(requestId, reply)) return;
        if (JSON.stringify(reply).length > LIMITS.mcpReplyBytes) return;
        await bound(await addReply(sql, session, { requestId, reply, now: clock.now() }));
      },
      openStream: (lastEvent) => {
        const toWatched = (name: string) => toReadable(uriOfName(name), caller);
        const stream = watcher.open({ caller, sessionId: id, lastEvent, toWatched });
        return stream === null ? null : toEvents(stream);
      },
      end: async () => bound(await endMcpSession(sql, session, clock.now())),
    };
  }

  return { open: (declared) => ids.sign(caller, { id: uuids.next(clock.now()), ...packDeclared(declared) }), find };
}

const TOO_MANY = `A session watches at most ${LIMITS.mcpSubscriptionsPerSession} resources: unsubscribe from one first.`;

function toEvents(stream: SessionStream): McpSessionStream {
  return {
    next: async (waitMs) => (await stream.next(waitMs))?.map(toEvent) ?? null,
    close: () => stream.close(),
  };
}

function toEvent({ event, name }: SessionEvent): McpSessionEvent {
  const approvalId = approvalOfName(name);
  return approvalId === null ? { event, kind: 'updated', uri: name } : { event, kind: 'decided', approvalId };
}

function hoursSince(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / HOUR_MS;
}
