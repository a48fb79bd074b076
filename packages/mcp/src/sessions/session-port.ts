import type { ClientCapabilities, JSONRPCResponse, LoggingLevel } from '@modelcontextprotocol/server';

/** What a client declared when it initialized. The session's id carries it, so that any process can serve the session. */
export interface Declared {
  readonly protocolVersion: string;
  readonly capabilities: ClientCapabilities;
}

/** The sessions of one key, for clients of the 2025 protocol. */
export interface McpSessions {
  /** Returns the id of a new session. Stores nothing, so unused sessions cost nothing. */
  readonly open: (declared: Declared) => string;
  /** Null if the id is unknown, of another key, or of a session that has ended. */
  readonly find: (id: string) => Promise<McpSession | null>;
}

/** A session. Its methods act on it in every process. */
export interface McpSession {
  readonly declared: Declared;
  /** Null until the client sets one. */
  readonly logLevel: LoggingLevel | null;
  readonly setLogLevel: (level: LoggingLevel) => Promise<void>;
  /** @throws Error with a message for the client if the session watches as much as it may */
  readonly subscribe: (uri: string) => Promise<void>;
  readonly unsubscribe: (uri: string) => Promise<void>;
  /** Reports `decided` once, when a hold needs no decision any more. Does nothing if the session watches as much as it may. */
  readonly awaitDecision: (approvalId: string) => Promise<void>;
  /** A new id for a request to the client. */
  readonly newRequestId: () => string;
  /** Calls back once, when the client has responded to a request, to whichever process. Returns a function that stops waiting. */
  readonly awaitReply: (requestId: string, onReply: (reply: JSONRPCResponse) => void) => () => void;
  /** Passes a response of the client on to the process that sent the request; ignores responses that no process waits for. */
  readonly reply: (requestId: string, reply: JSONRPCResponse) => Promise<void>;
  /** Null if too many streams are open. */
  readonly openStream: (lastEvent: number | null) => McpSessionStream | null;
  readonly end: () => Promise<void>;
}

export interface McpSessionStream {
  /** The next events, or none after so much time. Null at the end. */
  readonly next: (waitMs: number) => Promise<readonly McpSessionEvent[] | null>;
  readonly close: () => void;
}

export type McpSessionEvent =
  | { readonly event: number; readonly kind: 'updated'; readonly uri: string }
  | { readonly event: number; readonly kind: 'decided'; readonly approvalId: string };
