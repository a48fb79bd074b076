import { Agent, type Dispatcher } from 'undici';
import { checkUrl, type UrlVerdict } from './check-url.ts';
import { createGuardedConnector, OutboundRefusedError } from './guarded-connector.ts';
import type { ResolveHost } from './resolve-host.ts';

export interface OutboundClientOptions {
  /** For development: loopback may be reached, and http is enough. */
  readonly allowLoopback: boolean;
  readonly resolve: ResolveHost;
  readonly userAgent: string;
  readonly trustedCertificates?: readonly string[];
  /** Requests under way at once to one host; more wait for one of them. */
  readonly connectionsPerOrigin?: number;
  readonly connectMs?: number;
  /** For one request from its beginning to the last octet of its answer. */
  readonly totalMs?: number;
}

export interface OutboundRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Octets of the answer's body that are read; the rest is left. */
  readonly maxBytes: number;
  /** Asked for each piece of the answer as it comes, by its length: false where there is no room for it, and it is cut there. */
  readonly takeRoom?: (bytes: number) => boolean;
  /** Ends the request early, as a timeout would. */
  readonly signal?: AbortSignal;
}

export type OutboundAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** By lower-case name. A header that came twice is joined by a comma. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Buffer;
      /** True where the body was longer than `maxBytes`, or there was no room for it. */
      readonly truncated: boolean;
    }
  /** The rules forbid it; nothing was sent. The reason reads on from the words "The URL". */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It was allowed and did not work. The reason is a clause of its own. */
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * The one way a request of ours leaves for an address that somebody else named: attachment URLs, webhooks, discovery documents. Redirects
 * are answers like others and never followed.
 */
export interface OutboundClient {
  /** Never rejects. */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
  close(): Promise<void>;
}

const CONNECT_MS = 5_000;
export const TOTAL_MS = 15_000;
const CONNECTIONS_PER_ORIGIN = 32;
const IDLE_MS = 4_000;
const KEPT_VERDICTS = 1_000;

export function createOutboundClient(options: OutboundClientOptions): OutboundClient {
  const { allowLoopback, totalMs = TOTAL_MS, connectMs = CONNECT_MS } = options;
  const policy = { allowLoopback };
  const verdicts = new Map<string, UrlVerdict>();
  const agent = new Agent({
    connect: createGuardedConnector({
      policy,
      resolve: options.resolve,
      connectMs,
      ...(options.trustedCertificates === undefined ? {} : { trustedCertificates: options.trustedCertificates }),
    }),
    allowH2: false,
    connections: options.connectionsPerOrigin ?? CONNECTIONS_PER_ORIGIN,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    headersTimeout: totalMs,
    bodyTimeout: totalMs,
  });

  /** What is said of a URL never changes, and the same few are called again and again. */
  function check(url: string): UrlVerdict {
    const known = verdicts.get(url);
    if (known !== undefined) return known;
    if (verdicts.size >= KEPT_VERDICTS) verdicts.clear();
    const verdict = checkUrl(url, policy);
    verdicts.set(url, verdict);
    return verdict;
  }

  async function request(given: OutboundRequest): Promise<OutboundAnswer> {
    const checked = check(given.url);
    if (!checked.ok) return { kind: 'refused', reason: checked.reason };
    // Taken back at the end: signals with a time-out of their own stay, with their timers, until it is over.
    const ending = new AbortController();
    const end = () => ending.abort();
    const timer = setTimeout(end, totalMs);
    const { signal } = ending;
    if (given.signal?.aborted === true) end();
    given.signal?.addEventListener('abort', end);
    try {
      const response = await agent.request({
        origin: checked.url.origin,
        path: `${checked.url.pathname}${checked.url.search}`,
        method: given.method,
        headers: { 'user-agent': options.userAgent, ...given.headers },
        body: given.body ?? null,
        signal,
      });
      return await readAnswer(response, given);
    } catch (error) {
      if (error instanceof OutboundRefusedError) return { kind: 'refused', reason: error.message };
      return { kind: 'failed', reason: signal.aborted ? 'it did not answer in time' : describeFailure(error) };
    } finally {
      clearTimeout(timer);
      given.signal?.removeEventListener('abort', end);
    }
  }

  return { request, close: () => agent.destroy() };
}

/** By events and not by iteration, which costs more than all the rest of a small answer. */
function readAnswer(response: Dispatcher.ResponseData, given: OutboundRequest): Promise<OutboundAnswer> {
  const { statusCode: status, body: source } = response;
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const answer = (truncated: boolean) => {
      const body = Buffer.concat(chunks, Math.min(length, given.maxBytes));
      resolve({ kind: 'answered', status, headers: joinHeaders(response.headers), body, truncated });
    };
    source.on('data', (chunk: Buffer) => {
      const hasRoom = given.takeRoom?.(chunk.length) !== false;
      if (hasRoom) {
        chunks.push(chunk);
        length += chunk.length;
        if (length <= given.maxBytes) return;
      }
      // The connection goes with the body.
      source.removeAllListeners('data').destroy();
      answer(true);
    });
    source.once('end', () => answer(false));
    // Whatever comes behind the first of these changes nothing any more.
    source.on('error', reject);
    source.once('close', () => reject(new Error('the answer broke off')));
  });
}

function joinHeaders(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

const FAILURES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host name is not known',
  ENODATA: 'its host name has no address',
  ESERVFAIL: 'its host name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the host did not accept the connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not accept the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'it did not answer in time',
  UND_ERR_SOCKET: 'the connection was lost',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too long',
};

/** Words for people. What a library says of its insides is of no use to who named the URL. */
function describeFailure(error: unknown): string {
  const code = codeOf(error);
  const known = code === null ? undefined : FAILURES[code];
  if (known !== undefined) return known;
  if (code !== null && /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return `its certificate or TLS failed (${code})`;
  return code === null ? 'the request failed' : `the request failed (${code})`;
}

/** The code of an error, or of the first of the several that trying several addresses led to. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : null;
}
