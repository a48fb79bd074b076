import { createSemaphore } from '../semaphore.ts';
import { type GeneratedDkimKey, generateDkimKey } from './dkim-key.ts';
import type { KeyAllowance } from './key-allowance.ts';

/** The account has had all the keys made for it that it may within an hour. */
export interface TooManyKeys {
  readonly kind: 'too-many-keys';
  readonly retryAfterSeconds: number;
}

/** Makes RSA keys for accounts: nothing else that a call may ask for costs so much of a processor. */
export interface KeyMaker {
  /** One at a time in this process, in the order of arrival. */
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
