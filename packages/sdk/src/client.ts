import { assertPlatform, transport as platformTransport, readVariable } from '#transport';
import { buildUrl, fillPath, parseBaseUrl } from './address.ts';
import type { ApiResponse, CallOptions, HttpRequest, OpenResponse, OperationCaller, OperationInput } from './call.ts';
import { exchange, type PreparedCall } from './exchange.ts';
import { encodeFiles } from './file-content.ts';
import { OPERATIONS, type OperationFacts, type OperationId } from './generated/operations.ts';
import { Resources } from './generated/resources.ts';
import { VERSION } from './generated/version.ts';
import { mergeHeaders } from './headers.ts';
import { openExchange } from './open-exchange.ts';
import type { Transport } from './transport.ts';

export interface PostriderOptions {
  /** The API key. Default: the environment variable `POSTRIDER_API_KEY`. Null is for the operations that need none. */
  readonly apiKey?: string | null | undefined;
  /** Where the server is; a path in it stays. Default: the environment variable `POSTRIDER_BASE_URL`, else `http://127.0.0.1:8025`. */
  readonly baseUrl?: string | undefined;
  /** Milliseconds one attempt may take, in addition to the seconds that `wait` asks the server to delay its response. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first one. Default 2. */
  readonly maxRetries?: number | undefined;
  /** Maximum milliseconds to wait if the server asks for a wait; a call that is asked to wait longer rejects at once. Default 60,000. */
  readonly maxRetryAfterMs?: number | undefined;
  /** Replaces the platform's HTTP client. */
  readonly transport?: Transport | undefined;
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:8025';
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_MAX_RETRY_AFTER_MS = 60_000;
/** Timers use 31-bit milliseconds; a longer one would fire immediately. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * The client of one Postrider server. Calls reject with a PostriderError; those that are safe to repeat are retried first.
 * The constructor and every call throw a TypeError or RangeError for options that cannot work.
 */
export class Postrider extends Resources implements OperationCaller {
  readonly #authorization: string | undefined;
  readonly #baseUrl: string;
  readonly #timeoutMs: number;
  readonly #maxRetries: number;
  readonly #maxRetryAfterMs: number;
  readonly #transport: Transport;

  constructor({ apiKey, baseUrl, timeoutMs, maxRetries, maxRetryAfterMs, transport }: PostriderOptions = {}) {
    super();
    if (transport === undefined) assertPlatform();
    const key = apiKey === undefined ? readVariable('POSTRIDER_API_KEY') : apiKey;
    this.#authorization = key === null ? undefined : `Bearer ${checkApiKey(key)}`;
    this.#baseUrl = parseBaseUrl(baseUrl ?? readVariable('POSTRIDER_BASE_URL') ?? DEFAULT_BASE_URL);
    this.#timeoutMs = checkCount('timeoutMs', timeoutMs ?? DEFAULT_TIMEOUT_MS, 1);
    this.#maxRetries = checkCount('maxRetries', maxRetries ?? DEFAULT_MAX_RETRIES, 0);
    this.#maxRetryAfterMs = checkCount('maxRetryAfterMs', maxRetryAfterMs ?? DEFAULT_MAX_RETRY_AFTER_MS, 0);
    this.#transport = transport ?? platformTransport;
  }

  /**
   * Sends a request by method and path. Only the client's headers are added: a POST is retried (except after a rate limit) only if
   * it has an idempotency key. `Data` is the type the caller expects of the response body; it is not checked.
   */
  async request<Data = unknown>(request: HttpRequest): Promise<ApiResponse<Data>> {
    return (await exchange(this.#transport, this.#prepare(request, false))) as ApiResponse<Data>; // See above: the caller chooses the type.
  }

  /**
   * Calls an operation by its id. A send gets an idempotency key if it has none, and the channel `sdk` if its body has no other.
   * `Data` is the type the caller expects of the response body; it is not checked.
   */
  async requestOperation<Data = unknown>(
    id: OperationId,
    input: OperationInput = {},
    options: CallOptions = {},
  ): Promise<ApiResponse<Data>> {
    const body = await encodeFiles(input.body);
    const call = this.#prepareOperation(OPERATIONS[id], { ...input, body }, options);
    return (await exchange(this.#transport, call)) as ApiResponse<Data>; // See above: the caller chooses the type.
  }

  /** Calls an operation by its id and streams the body of its response. */
  async openOperation(id: OperationId, input: OperationInput = {}, options: CallOptions = {}): Promise<OpenResponse> {
    return await openExchange(this.#transport, this.#prepareOperation(OPERATIONS[id], input, options));
  }

  #prepareOperation(facts: OperationFacts, input: OperationInput, options: CallOptions): PreparedCall {
    const headers = mergeHeaders(input.headers ?? {}, options.headers ?? {});
    const request: HttpRequest = {
      ...options,
      method: facts.method,
      path: fillPath(facts.path, input.params),
      query: input.query,
      headers,
      body: markChannel(input.body, facts),
      idempotencyKey: options.idempotencyKey ?? headers['idempotency-key'] ?? newIdempotencyKey(facts),
    };
    // A caller that sets `Accept` gets that type, such as a zone file instead of records.
    return this.#prepare(request, facts.response === 'json' && headers['accept'] === undefined);
  }

  #prepare(request: HttpRequest, expectsJson: boolean): PreparedCall {
    const url = buildUrl(this.#baseUrl, request.path, request.query);
    const headers = mergeHeaders(
      {
        accept: 'application/json, */*',
        'user-agent': `postrider-sdk/${VERSION}`,
        authorization: this.#authorization,
        'content-type': request.body === undefined ? undefined : 'application/json',
      },
      request.headers ?? {},
      { 'idempotency-key': request.idempotencyKey },
    );
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    return {
      method: request.method,
      url,
      wire: { method: request.method, url: url.href, headers, body },
      idempotencyKey: headers['idempotency-key'] ?? null,
      timeoutMs: withWait(checkCount('timeoutMs', request.timeoutMs ?? this.#timeoutMs, 1), url),
      maxRetries: checkCount('maxRetries', request.maxRetries ?? this.#maxRetries, 0),
      maxRetryAfterMs: this.#maxRetryAfterMs,
      signal: request.signal,
      expectsJson,
    };
  }
}

/** Printable ASCII without spaces. The error message must not contain the key. */
function checkApiKey(apiKey: string | undefined): string {
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new TypeError(
      'apiKey is required: pass it, or set POSTRIDER_API_KEY. Pass null for operations that need no key.',
    );
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('apiKey contains a space or another character that no key has.');
  return apiKey;
}

function checkCount(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value <= LONGEST_TIMEOUT_MS) return value;
  throw new RangeError(`${name} must be a whole number of at least ${least}`);
}

/** The timeout of an attempt starts after the time for which the request asks the server to delay its response. */
function withWait(timeoutMs: number, url: URL): number {
  const waitMs = Number(url.searchParams.get('wait') ?? 0) * 1_000;
  return waitMs > 0 ? Math.min(timeoutMs + waitMs, LONGEST_TIMEOUT_MS) : timeoutMs;
}

function newIdempotencyKey({ takesIdempotencyKey }: OperationFacts): string | undefined {
  return takesIdempotencyKey ? crypto.randomUUID() : undefined;
}

/** Marks every send in the body as sent by the SDK, unless it has another channel. */
function markChannel(body: unknown, { channelIn }: OperationFacts): unknown {
  if (channelIn === 'body') return withChannel(body);
  if (channelIn === null || !isObject(body)) return body;
  const entries = Object.entries(body).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(withChannel) : value,
  ]);
  return Object.fromEntries(entries);
}

/** Anything that is not an object is left unchanged, so that the server rejects it with its own error. */
function withChannel(send: unknown): unknown {
  return isObject(send) ? { channel: 'sdk', ...withoutUndefined(send) } : send;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field with the value undefined is absent in JSON, so it must not hide the channel. */
function withoutUndefined(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
