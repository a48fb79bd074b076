import type { Refusal } from './acceptance.ts';
import type { ParsedSend } from './parsed-send.ts';

/** Tracks the sends of a batch whose callers no longer wait, so that no send is accepted after its caller received an error. */
export interface WithdrawnSends {
  /** The refusal of a send that was withdrawn; null for every other. */
  refusalOf(send: ParsedSend): Refusal | null;
  /**
   * The check to run after these sends are written and before the commit; undefined if none of them can be withdrawn. It throws
   * `WithdrawnError` if one was, and then nothing of the batch may be committed.
   */
  beforeCommit(sends: readonly ParsedSend[]): (() => void) | undefined;
}

/** A batch was rolled back because one of its sends was withdrawn while it was written. The others must be written again. */
export class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError';
}

const WITHDRAWN: Refusal = {
  code: 'unavailable',
  detail: 'The client disconnected or timed out, so this send was not accepted.',
};

export function createWithdrawnSends(): WithdrawnSends {
  const withdrawn = new Set<ParsedSend>();
  return {
    refusalOf: (send) => (withdrawn.has(send) ? WITHDRAWN : null),
    beforeCommit(sends) {
      const claimed = sends.filter(({ claim }) => claim !== undefined);
      if (claimed.length === 0) return undefined;
      return () => {
        for (const send of claimed) if (send.claim?.() === false) withdrawn.add(send);
        if (claimed.some((send) => withdrawn.has(send))) throw new WithdrawnError();
      };
    },
  };
}
