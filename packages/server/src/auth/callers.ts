import type { KeyAuthenticator } from '../keys/key-authenticator.ts';
import type { SessionAuthenticator } from './session-authenticator.ts';

/** What this process remembers of callers. */
export interface Callers {
  /** Reads keys, sessions and their accounts again at the next request, so that a change of them acts at once in this process. */
  forget(): void;
  /** Writes when this process last responded to each key. */
  settleKeyUse(): Promise<void>;
}

export function createCallers(
  keys: Pick<KeyAuthenticator, 'forget' | 'flushUse'>,
  sessions: Pick<SessionAuthenticator, 'forget'>,
): Callers {
  return {
    forget() {
      keys.forget();
      sessions.forget();
    },
    settleKeyUse: () => keys.flushUse(),
  };
}
