/** One HTTP request, ready to be written. */
export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Ends the exchange at the caller's wish or at the deadline of the attempt, while the body is read too. */
  readonly signal: AbortSignal;
}

/** One HTTP answer, read to its end. */
export interface TransportAnswer {
  /** 0 where the platform hides a redirect from its caller, as browsers do. */
  readonly status: number;
  /** By lower-case name; repeated ones are joined by a comma and a space. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Carries one request and its answer. It follows no redirect (the API key would travel to an address nobody chose), repeats nothing,
 * judges no status, and rejects only where no whole answer came back.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;
