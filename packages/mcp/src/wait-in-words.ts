/** A header that no model sees, and what stands for it in the texts of the catalogue. */
const HEADER_IN_WORDS = 'the seconds in `retry-after`';

/** Says in the problem itself how long to wait, where its catalogue text names the header for that. */
export function withWaitInWords<T extends { readonly fix: string }>(problem: T, retryAfterSeconds: number | null): T {
  const wait = retryAfterSeconds === null ? 'a moment' : `${Math.ceil(retryAfterSeconds)} s`;
  return { ...problem, fix: problem.fix.replace(HEADER_IN_WORDS, wait) };
}
