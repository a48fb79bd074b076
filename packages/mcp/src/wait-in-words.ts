/** A header that no model sees, and its replacement in catalog texts. */
const HEADER_IN_WORDS = 'the seconds in `retry-after`';

/** Writes the seconds to wait into the problem if its catalog text names the header. */
export function withWaitInWords<T extends { readonly fix: string }>(problem: T, retryAfterSeconds: number | null): T {
  const wait = retryAfterSeconds === null ? 'a moment' : `${Math.ceil(retryAfterSeconds)} s`;
  return { ...problem, fix: problem.fix.replace(HEADER_IN_WORDS, wait) };
}
