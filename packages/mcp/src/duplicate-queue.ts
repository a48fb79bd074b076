import { AUTOMATIC_KEY_PREFIX } from '@postrider/core';
import type { Invoke } from './invoke.ts';

/**
 * Serializes equal sends of a caller. Agents sometimes send the same message twice at once, and the server rejects a send while another
 * runs with its idempotency key, which an agent cannot resolve for an automatic key. So the later call waits and gets the first one's
 * message. Calls of different callers do not wait for each other.
 */
export function createDuplicateQueue(): (invoke: Invoke, caller: string) => Invoke {
  const lastOf = new Map<string, Promise<unknown>>();
  return (invoke, caller) => async (operationId, input, options) => {
    const key = input.headers['idempotency-key'];
    if (typeof key !== 'string' || !key.startsWith(AUTOMATIC_KEY_PREFIX)) {
      return await invoke(operationId, input, options);
    }
    const name = `${caller} ${key}`;
    const before = lastOf.get(name) ?? Promise.resolve();
    // A failure of the previous call is reported to that call only.
    const own = before.catch(() => {}).then(() => invoke(operationId, input, options));
    lastOf.set(name, own);
    try {
      return await own;
    } finally {
      if (lastOf.get(name) === own) lastOf.delete(name);
    }
  };
}
