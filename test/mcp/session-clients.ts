import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

/** A 2025 client with a session, whichever library it is from. */
export interface SessionClient {
  readonly sessionId: () => string | undefined;
  readonly canSubscribe: () => boolean;
  readonly subscribe: (uri: string) => Promise<unknown>;
  readonly unsubscribe: (uri: string) => Promise<unknown>;
  readonly callTool: (name: string, given: Record<string, unknown>) => Promise<Record<string, unknown>>;
  /** What the client was notified of, as `updated <uri>` or `complete <id>`. */
  readonly notified: string[];
  /** The URLs that the client was asked to open. */
  readonly opened: string[];
  /** Resolves when the client has been notified of this. */
  readonly until: (notified: string) => Promise<void>;
  readonly end: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export type ConnectSession = (url: URL, key: string) => Promise<SessionClient>;

/** Both lines of the official SDK; the 2.x client speaks the 2025 protocol when told to. */
export const SESSION_CLIENTS: readonly [string, ConnectSession][] = [
  ['@modelcontextprotocol/client 2.x', connectModern],
  ['@modelcontextprotocol/sdk 1.x', connectLegacy],
];

const CAPABILITIES = { elicitation: { url: {}, form: {} } };

async function connectModern(url: URL, key: string): Promise<SessionClient> {
  const client = new ModernClient(
    { name: 'test', version: '0.0.0' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: CAPABILITIES },
  );
  const seen = createSeen();
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => seen.note(`updated ${params.uri}`));
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
    seen.note(`complete ${params.elicitationId}`),
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    seen.opened.push(params.mode === 'url' ? params.url : 'a form');
    return { action: 'accept' };
  });
  const transport = new ModernTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } });
  await client.connect(transport);
  return {
    ...seen,
    sessionId: () => transport.sessionId,
    canSubscribe: () => client.getServerCapabilities()?.resources?.subscribe === true,
    subscribe: (uri) => client.subscribeResource({ uri }),
    unsubscribe: (uri) => client.unsubscribeResource({ uri }),
    callTool: (name, given) => client.callTool({ name, arguments: given }),
    end: () => transport.terminateSession(),
    close: () => client.close(),
  };
}

async function connectLegacy(url: URL, key: string): Promise<SessionClient> {
  const client = new LegacyClient({ name: 'test', version: '0.0.0' }, { capabilities: CAPABILITIES });
  const seen = createSeen();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => seen.note(`updated ${params.uri}`));
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) =>
    seen.note(`complete ${params.elicitationId}`),
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    seen.opened.push(params.mode === 'url' ? params.url : 'a form');
    return { action: 'accept' };
  });
  const transport = new LegacyTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } });
  // Under exactOptionalPropertyTypes the library's own transport does not fit its own interface (`sessionId`).
  await client.connect(transport as Transport);
  return {
    ...seen,
    sessionId: () => transport.sessionId,
    canSubscribe: () => client.getServerCapabilities()?.resources?.subscribe === true,
    subscribe: (uri) => client.subscribeResource({ uri }),
    unsubscribe: (uri) => client.unsubscribeResource({ uri }),
    callTool: (name, given) => client.callTool({ name, arguments: given }),
    end: () => transport.terminateSession(),
    close: () => client.close(),
  };
}

function createSeen() {
  const notified: string[] = [];
  const waiting = new Set<() => void>();
  return {
    notified,
    opened: [] as string[],
    note(text: string) {
      notified.push(text);
      for (const check of waiting) check();
    },
    until: (text: string) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (notified.includes(text)) resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
