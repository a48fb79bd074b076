/** The state of the key's rate limit when the server responded. */
export interface RateLimit {
  /** Requests in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Remaining requests. */
  readonly remaining: number;
  /** Seconds until all of them are available again. */
  readonly resetSeconds: number;
}

/** Reads the headers of draft-ietf-httpapi-ratelimit-headers; null if a response has none, such as that of an operation without a key. */
export function readRateLimit(headers: Readonly<Record<string, string>>): RateLimit | null {
  const policy = headers['ratelimit-policy'] ?? '';
  const state = headers['ratelimit'] ?? '';
  const [limit, windowSeconds] = [parameterOf(policy, 'q'), parameterOf(policy, 'w')];
  const [remaining, resetSeconds] = [parameterOf(state, 'r'), parameterOf(state, 't')];
  if (limit === null || windowSeconds === null || remaining === null || resetSeconds === null) return null;
  return { limit, windowSeconds, remaining, resetSeconds };
}

function parameterOf(text: string, name: string): number | null {
  const [, digits] = new RegExp(`;\\s*${name}=(\\d{1,9})(?:[;,\\s]|$)`).exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}
