import { maySee } from '@postrider/core';
import type { Caller } from '../../keys/caller.ts';

/** Whose holds a caller sees: those of its own sends (the id of the key), or all of the account (null). */
export function visibleKeyOf({ keyId, scopes }: Pick<Caller, 'keyId' | 'scopes'>): string | null {
  return maySee({ keyId, scopes, isUser: false }, 'hold.record', null) ? null : keyId;
}
