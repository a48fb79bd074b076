import type { OperationId } from './generated/operations.ts';
import type { RateLimit } from './rate-limit.ts';

/** Options of a single call; everything else comes from the client. */
export interface CallOptions {
  /** Makes a repeated send safe. By default each send gets a random key, which is the same for all its retries. */
  readonly idempotencyKey?: string | undefined;
  /** Ends the call, a wait between two attempts included; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds one attempt may take, in addition to the seconds that `wait` asks the server to delay its response. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first one. */
  readonly maxRetries?: number | undefined;
  /** Additional request headers; a name the client sets itself is replaced. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A request by method and path. A list in the query is written as a repeated parameter, an undefined value is left out. */
export interface HttpRequest extends CallOptions {
  readonly method: string;
  /** Begins with `/`; appended to the base URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Any JSON value; undefined sends no body. */
  readonly body?: unknown;
}

/** The input of an operation, by part of the HTTP request. */
export interface OperationInput {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** A successful response. */
export interface ApiResponse<Data = unknown> {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body; the text of any other body; null where there is none. */
  readonly data: Data;
  readonly requestId: string | null;
  /** Null if the response does not contain it. */
  readonly rateLimit: RateLimit | null;
}

/** A successful response whose body is streamed. */
export interface OpenResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string | null;
  /** Null if the response does not contain it. */
  readonly rateLimit: RateLimit | null;
  /** Can be read once. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** The part of the client that resources, pages and files need. */
export interface OperationCaller {
  requestOperation<Data = unknown>(
    id: OperationId,
    input?: OperationInput,
    options?: CallOptions,
  ): Promise<ApiResponse<Data>>;
  openOperation(id: OperationId, input?: OperationInput, options?: CallOptions): Promise<OpenResponse>;
}
