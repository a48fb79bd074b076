import type { CallableId, OperationById, OperationInput, OperationOutput } from '@postrider/core';
import type { AuthServices } from '../auth/auth-services.ts';
import type { Callers } from '../auth/callers.ts';
import type { ClientInfo } from '../auth/client-info.ts';
import type { Confirmed } from '../auth/passkeys/confirmation.ts';
import type { Installation } from '../config/installation.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Events } from '../events/events.ts';
import type { Caller } from '../keys/caller.ts';
import type { Receipts } from '../receipts/receipts.ts';
import type { Sending } from '../sending/sending.ts';
import type { SendingDomains } from '../sending-domains/sending-domains.ts';
import type { JobThreads } from '../threads/job-threads.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { AccountDatabase, Database } from './database.ts';
import type { ExportLimit } from './emails/export-limit.ts';
import type { LargeLogs } from './emails/large-logs.ts';
import type { RequestHistory } from './requests/request-history.ts';

/**
 * The services that handlers use, by capability, created once at the composition root. A handler destructures the capabilities that it
 * uses.
 */
export interface Services {
  readonly database: Database;
  readonly sending: Sending;
  readonly delivery: Delivery;
  readonly domains: SendingDomains;
  readonly auth: AuthServices;
  readonly callers: Callers;
  readonly events: Events;
  readonly webhooks: Webhooks;
  readonly diagnostics: Diagnostics;
  readonly requests: RequestHistory;
  readonly receipts: Receipts;
  readonly exports: ExportLimit;
  readonly largeLogs: LargeLogs;
  /** For work whose cost grows with the input. */
  readonly threads: JobThreads;
  readonly installation: Installation;
  /** The services for calls of one account. */
  forAccount(accountId: string): AccountServices;
}

/** The services for calls of one account, with every connection of a handler bound to that account. */
export interface AccountServices extends Services {
  readonly database: AccountDatabase;
}

/** One call, whatever protocol it arrived by. */
export interface CallContext {
  readonly services: Services;
  readonly requestId: string;
  /** Over MCP the caller cannot claim another channel. */
  readonly via: 'rest' | 'mcp';
  /** The client's address, as far as it can be trusted. */
  readonly address: string;
  /** Whether the caller prefers a plain text response, if the operation has one. */
  readonly prefersText: boolean;
  /** Null for public operations. */
  readonly caller: Caller | null;
  /** The browser or program that sent the request; null over MCP, which has no sign-in. */
  readonly clientInfo: ClientInfo | null;
  /**
   * What the user of a page has confirmed with a passkey; null if nothing. Always null for calls of the API, so that no program can pass one on.
   * @throws ProblemError if the passkey proves nothing
   */
  readConfirmed(): Promise<Confirmed | null>;
  /** Ends a wait when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** The input as given, before defaults, which an idempotency key is compared by. */
  readonly rawBody: unknown;
  /** Links the request log's entry to a message. */
  noteEmail(id: string): void;
}

/** A call by a key, or by a user in its place: what handlers of operations that need a key receive. */
export interface KeyedContext extends CallContext {
  readonly services: AccountServices;
  readonly caller: Caller;
}

/** A call that only signed-in users can make. It may reach the user's other accounts, beyond the one the session is in. */
export interface UserContext extends CallContext {
  readonly caller: Caller;
}

export interface Reply<Output> {
  readonly body: Output;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type ContextOf<Id extends CallableId> = OperationById<Id>['access'] extends { readonly kind: 'key' }
  ? KeyedContext
  : OperationById<Id>['access'] extends { readonly kind: 'session' }
    ? UserContext
    : CallContext;

export type Handler<Id extends CallableId> = (
  input: OperationInput<OperationById<Id>>,
  context: ContextOf<Id>,
) => Promise<Reply<ResponseBodyOf<OperationById<Id>>>>;

/** A file is returned in pieces. */
type ResponseBodyOf<O extends OperationById<CallableId>> = O extends { readonly response: 'stream' }
  ? AsyncIterable<string | Uint8Array>
  : OperationOutput<O> | (O extends { readonly asText: string } ? string : never);
