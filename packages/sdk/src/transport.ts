/** One HTTP request, ready to send. */
export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Streams the body of a success (2xx): as `chunks`. */
  readonly opens?: boolean;
  /** Ends the exchange when the caller aborts or the attempt reaches its deadline, even while the body is read. */
  readonly signal: AbortSignal;
}

/** One HTTP response, read completely unless it has `chunks`. */
export interface TransportResponse {
  /** 0 if the platform hides a redirect, as browsers do. */
  readonly status: number;
  /** By lower-case name; repeated headers are joined with a comma and a space. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as a stream, if requested; `text` is then empty. A transport without streaming omits it. */
  readonly chunks?: AsyncIterable<Uint8Array>;
}

/**
 * Sends one request and returns its response. It follows no redirect (the API key would be sent to an address the user did not choose),
 * does not retry, does not judge the status, and rejects only if no complete response arrived.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;
