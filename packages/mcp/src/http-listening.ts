import {
  type AuthInfo,
  createMcpHandler,
  type McpServerFactory,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import type { ResourceWatch, WatchResources } from './resources/resource-watch.ts';

export interface Listening {
  /** Responds to `subscriptions/listen` (protocol 2026-07-28) with a stream of notifications. */
  readonly listen: (request: Request, caller: ListeningCaller, parsedBody: unknown) => Promise<Response>;
  /** Ends every stream with the result that the protocol defines. */
  readonly close: () => Promise<void>;
}

interface ListeningCaller {
  readonly authInfo: AuthInfo;
  readonly watch: WatchResources;
}

/** The most resources that one stream watches. */
const WATCHED_MAX = 100;

const TOO_MANY_STREAMS = 'Too many subscriptions are open: close one, or watch several resources with one';
const TOO_MANY_RESOURCES = `One subscription watches at most ${WATCHED_MAX} resources`;

/**
 * Each stream has its own handler. The library distinguishes listeners only by resource URI, and two accounts may have a template with the
 * same name, so each stream has a bus that gets only the changes of its own account.
 */
export function createListening(factory: McpServerFactory, onError: (error: unknown) => void): Listening {
  const open = new Set<() => Promise<void>>();
  return {
    listen: async (request, { authInfo, watch }, parsedBody) => {
      const uris = resourcesOf(parsedBody);
      if (uris.length > WATCHED_MAX) return refuseToListen(parsedBody, -32_602, TOO_MANY_RESOURCES);
      const watched = await watch(uris);
      if (watched === null) return refuseToListen(parsedBody, -32_603, TOO_MANY_STREAMS);
      let isListening = false;
      const handler = createMcpHandler(factory, {
        legacy: 'reject',
        bus: busOf(watched, {
          onStart: () => {
            isListening = true;
          },
          onEnd: () => void handler.close(),
          onStop: () => open.delete(handler.close),
        }),
        onerror: onError,
      });
      open.add(handler.close);
      const response = await handler.fetch(request, { authInfo, parsedBody });
      // Rejected requests, and requests for notifications that do not exist, have ended by now.
      if (!isListening) {
        watched.close();
        open.delete(handler.close);
      }
      return response;
    },
    close: async () => {
      await Promise.all([...open].map((close) => close()));
    },
  };
}

interface BusEnds {
  readonly onStart: () => void;
  readonly onEnd: () => void;
  readonly onStop: () => void;
}

function busOf(watch: ResourceWatch, { onStart, onEnd, onStop }: BusEnds): ServerEventBus {
  return {
    publish: () => {},
    subscribe: (listener) => {
      onStart();
      watch.start((uri) => listener({ kind: 'resource_updated', uri }), onEnd);
      return () => {
        watch.close();
        onStop();
      };
    },
  };
}

/** Whether a JSON-RPC body is a request to listen. */
export function asksToListen(body: unknown): boolean {
  return isObject(body) && body['method'] === 'subscriptions/listen' && 'id' in body;
}

/** The URIs in the request; the library reports all other errors. */
function resourcesOf(body: unknown): readonly string[] {
  const params = isObject(body) ? body['params'] : null;
  const wanted = isObject(params) ? params['notifications'] : null;
  const uris = isObject(wanted) ? wanted['resourceSubscriptions'] : null;
  return Array.isArray(uris) ? [...new Set(uris.filter((uri) => typeof uri === 'string'))] : [];
}

function refuseToListen(body: unknown, code: number, message: string): Response {
  const id = isObject(body) ? (body['id'] ?? null) : null;
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
