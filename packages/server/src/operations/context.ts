import type { CallableId, OperationById, OperationInput, OperationOutput } from '@postrider/core';
import type { ClientInfo } from '../auth/client-info.ts';
import type { People } from '../auth/people.ts';
import type { Clock } from '../clock.ts';
import type { RetentionSetting } from '../config/setting-values.ts';
import type { AccountSql, Sql } from '../db/client.ts';
import type { DiagnosticTools } from '../diagnostics/diagnostic-tools.ts';
import type { ReadinessProbe } from '../diagnostics/readiness.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import type { MessageWaiter } from '../events/message-waiter.ts';
import type { ResourceWatcher } from '../events/resource-watcher.ts';
import type { Caller } from '../keys/caller.ts';
import type { AcceptQueue } from '../sending/accept-queue.ts';
import type { AcceptanceDryRun } from '../sending/acceptance-dry-run.ts';
import type { ContentTools } from '../sending/content/prepare-content.ts';
import type { DomainChecker } from '../sending-domains/domain-checker.ts';
import type { DomainTools } from '../sending-domains/domain-tools.ts';
import type { JobThreads } from '../threads/job-threads.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { ListeningTools } from '../webhooks/listening-tools.ts';
import type { WebhookTools } from '../webhooks/webhook-tools.ts';
import type { ExportLimit } from './emails/export-limit.ts';

/** What handlers work with: made once, at the composition root. */
export interface Services {
  /** The database as the whole installation sees it. Handlers behind a key have one that is bound to the caller's account instead. */
  readonly sql: Sql;
  /** For searches and exports, which may take longer than what callers wait for otherwise. */
  readonly readsSql: Sql;
  readonly exports: ExportLimit;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly dns: DnsResolver;
  readonly diagnostics: DiagnosticTools;
  readonly domains: { readonly tools: DomainTools; readonly checker: DomainChecker };
  /** For work that grows with what a caller sent. */
  readonly threads: JobThreads;
  readonly acceptQueue: AcceptQueue;
  readonly acceptanceDryRun: AcceptanceDryRun;
  readonly content: ContentTools;
  readonly waiter: MessageWaiter;
  readonly watcher: ResourceWatcher;
  readonly people: People;
  readonly listening: ListeningTools;
  readonly webhooks: WebhookTools;
  /** Has the queue look for what is due, as after an acceptance. */
  wakeDelivery(): void;
  /** Whether delivery attempts go to the mail servers of one domain each. */
  readonly byDomain: boolean;
  /** What was read of keys and their accounts is read anew: a change of an account acts at once in this process. */
  forgetCallers(): void;
  /** What this process has answered until now is in the request log, where the database takes it. */
  settleRequestLog(): Promise<void>;
  /** When this process last answered a key is in the key's record. */
  settleKeyUse(): Promise<void>;
  readonly readiness: ReadinessProbe;
  readonly monthlyQuota: number;
  readonly retention: RetentionSetting;
  /** How long a message is tried before its retries end. */
  readonly retryHours: number;
  readonly sandboxDomain: string;
  readonly baseUrl: string;
  readonly version: string;
  /** What a call of this account works with. */
  forAccount(accountId: string): AccountServices;
}

/** The same for calls of one account: the database shows and takes that account's rows only, whatever a handler forgets. */
export interface AccountServices extends Services {
  readonly sql: AccountSql;
  readonly readsSql: AccountSql;
}

/** One call, whatever way it came in. */
export interface CallContext {
  readonly services: Services;
  readonly requestId: string;
  /** Over MCP the channel is not the caller's to claim. */
  readonly via: 'rest' | 'mcp';
  /** Of the client, as far as it can be believed. */
  readonly address: string;
  /** Whether the caller prefers an answer in plain text, where the operation has one. */
  readonly prefersText: boolean;
  /** Null for public operations. */
  readonly caller: Caller | null;
  /** The browser or program that sent the request; null over MCP, which has no sign-in. */
  readonly clientInfo: ClientInfo | null;
  /** Ends waiting when the caller has gone. */
  readonly signal: AbortSignal;
  /** The input as given, before defaults: what an idempotency key stands for. */
  readonly rawBody: unknown;
  /** Ties the request log's entry to a message. */
  noteEmail(id: string): void;
}

/** A call by a key, or by a person in its place: what handlers of operations behind a key receive. */
export interface KeyedContext extends CallContext {
  readonly services: AccountServices;
  readonly caller: Caller;
}

/** A call that only signed-in people make: it may reach beyond the account the session is in, to the person's others. */
export interface PersonContext extends CallContext {
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
    ? PersonContext
    : CallContext;

export type Handler<Id extends CallableId> = (
  input: OperationInput<OperationById<Id>>,
  context: ContextOf<Id>,
) => Promise<Reply<ResponseBodyOf<OperationById<Id>>>>;

/** A file is answered piece by piece. */
type ResponseBodyOf<O extends OperationById<CallableId>> = O extends { readonly response: 'stream' }
  ? AsyncIterable<string | Uint8Array>
  : OperationOutput<O> | (O extends { readonly asText: string } ? string : never);
