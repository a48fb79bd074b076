/** JSON of bodies that are the same for every caller, so that no request pays for writing it. */
const READY = new WeakMap<object, string>();

/**
 * Keeps the JSON of a body that never changes from here on.
 * @param json where it was written before
 */
export function keepJson<T extends object>(body: T, json: string = JSON.stringify(body)): T {
  READY.set(body, json);
  return body;
}

/** The JSON that was kept of a body; undefined where none was. */
export function readyJsonOf(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null ? READY.get(body) : undefined;
}
