import { randomUUID } from 'node:crypto';
import type { McpSession, McpSessions } from '@postrider/mcp';

/** Sessions in memory, for the fixture endpoint, which has no database. Nothing that it serves ever changes. */
export function createMemorySessions(): McpSessions {
  const sessions = new Map<string, McpSession>();
  const waiting = new Map<string, Parameters<McpSession['awaitReply']>[1]>();
  return {
    open: (declared) => {
      const id = randomUUID();
      const watched = new Set<string>();
      let logLevel: McpSession['logLevel'] = null;
      sessions.set(id, {
        declared,
        get logLevel() {
          return logLevel;
        },
        setLogLevel: async (level) => {
          logLevel = level;
        },
        subscribe: async (uri) => void watched.add(uri),
        unsubscribe: async (uri) => void watched.delete(uri),
        awaitDecision: async () => {},
        newRequestId: randomUUID,
        awaitReply: (requestId, onReply) => {
          waiting.set(requestId, onReply);
          return () => void waiting.delete(requestId);
        },
        reply: async (requestId, reply) => {
          waiting.get(requestId)?.(reply);
          waiting.delete(requestId);
        },
        openStream: () => {
          const closed = Promise.withResolvers<null>();
          return { next: () => closed.promise, close: () => closed.resolve(null) };
        },
        end: async () => void sessions.delete(id),
      });
      return id;
    },
    find: async (id) => sessions.get(id) ?? null,
  };
}
