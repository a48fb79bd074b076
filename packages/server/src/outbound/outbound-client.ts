import { Agent } from 'undici';
import { checkUrl, type UrlVerdict } from './check-url.ts';
import { createGuardedConnector, OutboundRefusedError } from './guarded-connector.ts';
import type { OutboundResult } from './outbound-result.ts';
import type { ResolveHost } from './resolve-host.ts';
import { createResponseHandler } from './response-handler.ts';

export interface OutboundClientOptions {
  /** For development: allows loopback addresses and http. */
  readonly allowLoopback: boolean;
  readonly resolve: ResolveHost;
  readonly userAgent: string;
  readonly trustedCertificates?: readonly string[];
  /** Concurrent requests to one host; others wait. */
  readonly connectionsPerOrigin?: number;
  readonly connectMs?: number;
  /** For one request, from its start to the last byte of its response. */
  readonly totalMs?: number;
}

export interface OutboundRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The most bytes of the response body to read; the rest is discarded. */
  readonly maxBytes: number;
  /**
   * Called with the length of each received chunk of the response. Returns false if there is no memory for it, and the
   * body is truncated there.
   */
  readonly reserveBytes?: (bytes: number) => boolean;
  /** Ends the request early, like a timeout. */
  readonly signal?: AbortSignal;
}

/**
 * The only way to send a request to an address that a user supplied: attachment URLs, webhooks, discovery documents.
 * Redirects are returned like any other response and never followed.
 */
export interface OutboundClient {
  /** Never rejects. */
  request(request: OutboundRequest): Promise<OutboundResult>;
  /** Why a URL would be rejected before any lookup; null if it would not. */
  refusalOf(url: string): string | null;
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
  const verdicts = new Map<string, Checked>();
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

  /** The check of a URL never changes, and the same few URLs are called repeatedly. */
  function check(url: string): Checked {
    const known = verdicts.get(url);
    if (known !== undefined) return known;
    if (verdicts.size >= KEPT_VERDICTS) verdicts.clear();
    const verdict = toChecked(checkUrl(url, policy));
    verdicts.set(url, verdict);
    return verdict;
  }

  /** One promise per request, because a thousand of these may run at once. */
  function request(given: OutboundRequest): Promise<OutboundResult> {
    const checked = check(given.url);
    return checked.ok ? exchange(checked.target, given) : Promise.resolve({ kind: 'refused', reason: checked.reason });
  }

  function exchange({ origin, path }: Target, given: OutboundRequest): Promise<OutboundResult> {
    const { signal } = given;
    return new Promise((resolve) => {
      const end = () => handler.abort(new OutboundLateError());
      const timer = setTimeout(end, totalMs);
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
      };
      const handler = createResponseHandler(
        given,
        (response) => {
          finish();
          resolve(response);
        },
        (error) => {
          finish();
          resolve(toFailure(error));
        },
      );
      if (signal?.aborted === true) return end();
      signal?.addEventListener('abort', end);
      const headers = { 'user-agent': options.userAgent, ...given.headers };
      try {
        agent.dispatch({ origin, path, method: given.method, headers, body: given.body ?? null }, handler);
      } catch (error) {
        handler.abort(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  function refusalOf(url: string): string | null {
    const checked = check(url);
    return checked.ok ? null : checked.reason;
  }

  return { request, refusalOf, close: () => agent.destroy() };
}

/** The destination of an allowed URL, in the form that the HTTP client expects. */
interface Target {
  readonly origin: string;
  readonly path: string;
}

type Checked = { readonly ok: true; readonly target: Target } | { readonly ok: false; readonly reason: string };

function toChecked(verdict: UrlVerdict): Checked {
  if (!verdict.ok) return verdict;
  const { origin, pathname, search } = verdict.url;
  return { ok: true, target: { origin, path: `${pathname}${search}` } };
}

function toFailure(error: Error): OutboundResult {
  if (error instanceof OutboundRefusedError) return { kind: 'refused', reason: error.message };
  return { kind: 'failed', reason: describeFailure(error) };
}

/** The request took too long in total, or the caller aborted it. */
class OutboundLateError extends Error {
  override readonly name = 'OutboundLateError';
}

const FAILURES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host name does not exist',
  ENODATA: 'its host name has no address',
  ESERVFAIL: 'the DNS lookup of its host name failed',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the host is unreachable',
  ETIMEDOUT: 'the host did not accept the connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not accept the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not respond in time',
  UND_ERR_BODY_TIMEOUT: 'it did not respond in time',
  UND_ERR_SOCKET: 'the connection was lost',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too long',
};

/** Text for users. A library's internal details do not help the user who supplied the URL. */
function describeFailure(error: unknown): string {
  if (error instanceof OutboundLateError) return 'it did not respond in time';
  const code = codeOf(error);
  const known = code === null ? undefined : FAILURES[code];
  if (known !== undefined) return known;
  if (code !== null && /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return `its certificate or TLS failed (${code})`;
  return code === null ? 'the request failed' : `the request failed (${code})`;
}

/** The code of an error, or of the first of several errors from trying several addresses. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : null;
}
