/** Caches the JSON of bodies that are the same for every caller, so that no request pays for serializing them. */
const READY = new WeakMap<object, string>();

/**
 * Caches the JSON of a body that never changes from now on.
 * @param json the serialized body, if it exists already
 */
export function keepJson<T extends object>(body: T, json: string = JSON.stringify(body)): T {
  READY.set(body, json);
  return body;
}

/** The cached JSON of a body; undefined if there is none. */
export function readyJsonOf(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null ? READY.get(body) : undefined;
}
