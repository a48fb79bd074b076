import { AUTOMATIC_KEY_PREFIX } from '@postrider/core';
import type { Invoke } from './invoke.ts';

/**
 * Agents sometimes send the same message twice at once. The server refuses a send while another one runs under its idempotency key, and an agent
 * cannot resolve that for an automatic key. So such calls run one after another, and each later one gets the first one's message. One queue
 * serves the whole process; calls of different callers do not wait for each other.
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
    // A failure of the previous call is reported to its own caller.
    const own = before.catch(() => {}).then(() => invoke(operationId, input, options));
    lastOf.set(name, own);
    try {
      return await own;
    } finally {
      if (lastOf.get(name) === own) lastOf.delete(name);
    }
  };
}
