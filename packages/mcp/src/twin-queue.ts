import { AUTOMATIC_KEY_PREFIX } from '@postrider/core';
import type { Invoke } from './invoke.ts';

/**
 * Agents also send twice at once. The server refuses a send while another one runs under its idempotency key, and of an automatic key no agent
 * can say what to do about that: so such calls run one after another, and each later one finds the first one's message. One queue serves
 * a whole process, in which nobody waits for a stranger.
 */
export function createTwinQueue(): (invoke: Invoke, caller: string) => Invoke {
  const lastOf = new Map<string, Promise<unknown>>();
  return (invoke, caller) => async (operationId, input, options) => {
    const key = input.headers['idempotency-key'];
    if (typeof key !== 'string' || !key.startsWith(AUTOMATIC_KEY_PREFIX)) {
      return await invoke(operationId, input, options);
    }
    const name = `${caller} ${key}`;
    const before = lastOf.get(name) ?? Promise.resolve();
    // Whatever became of the one before: its own caller hears of that.
    const own = before.catch(() => {}).then(() => invoke(operationId, input, options));
    lastOf.set(name, own);
    try {
      return await own;
    } finally {
      if (lastOf.get(name) === own) lastOf.delete(name);
    }
  };
}
