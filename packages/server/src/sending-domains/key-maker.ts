import { createGate } from '../gate.ts';
import { type GeneratedDkimKey, generateDkimKey } from './dkim-key.ts';

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

/** @param take counts a key of the account's; answers the seconds until there is room, and null where it was counted. */
export function createKeyMaker(
  take: (accountId: string) => number | null,
  generate: () => Promise<GeneratedDkimKey> = generateDkimKey,
): KeyMaker {
  const gate = createGate(1);
  return {
    async make(accountId) {
      const retryAfterSeconds = take(accountId);
      if (retryAfterSeconds !== null) return { kind: 'too-many-keys', retryAfterSeconds };
      const leave = await gate.enter();
      return await generate().finally(leave);
    },
  };
}
