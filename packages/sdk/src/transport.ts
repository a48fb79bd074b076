/** One HTTP request, ready to be written. */
export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The body of a success (2xx) is wanted as it comes: as `chunks`. */
  readonly opens?: boolean;
  /** Ends the exchange at the caller's wish or at the deadline of the attempt, while the body is read too. */
  readonly signal: AbortSignal;
}

/** One HTTP answer, read to its end unless it has `chunks`. */
export interface TransportAnswer {
  /** 0 where the platform hides a redirect from its caller, as browsers do. */
  readonly status: number;
  /** By lower-case name; repeated ones are joined by a comma and a space. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as it comes, where it was asked for so; `text` is empty then. A transport that cannot do that leaves it out. */
  readonly chunks?: AsyncIterable<Uint8Array>;
}

/**
 * Carries one request and its answer. It follows no redirect (the API key would travel to an address nobody chose), repeats nothing,
 * judges no status, and rejects only where no whole answer came back.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;
