import { inject } from 'vitest';
import type { GeneratedDkimKey } from '../../packages/server/src/sending-domains/dkim-key.ts';

/** Returns the run's generated keys in turn. Each is reused only after all the others. */
export function reuseDkimKeys(): () => Promise<GeneratedDkimKey> {
  const keys = inject('dkimKeys');
  let taken = 0;
  return async () => {
    const key = keys[taken % keys.length];
    taken += 1;
    if (key === undefined) throw new Error('The run has no keys.');
    return key;
  };
}
