import { createSemaphore } from '../semaphore.ts';
import { type GeneratedDkimKey, generateDkimKey } from './dkim-key.ts';
import type { KeyAllowance } from './key-allowance.ts';

/** The account has reached its limit of generated keys per hour. */
export interface TooManyKeys {
  readonly kind: 'too-many-keys';
  readonly retryAfterSeconds: number;
}

/** Generates RSA keys for accounts. No other call uses as much CPU time. */
export interface KeyMaker {
  /** Generates one key at a time in this process, in order of arrival. */
  make(accountId: string): Promise<GeneratedDkimKey | TooManyKeys>;
}

export function createKeyMaker(
  take: KeyAllowance,
  generate: () => Promise<GeneratedDkimKey> = generateDkimKey,
): KeyMaker {
  const semaphore = createSemaphore(1);
  return {
    async make(accountId) {
      const retryAfterSeconds = await take(accountId);
      if (retryAfterSeconds !== null) return { kind: 'too-many-keys', retryAfterSeconds };
      const release = await semaphore.acquire();
      return await generate().finally(release);
    },
  };
}
