import type { ListedKey } from './domain-records.ts';
import type { RecordVerdict } from './record-verdict.ts';

/** What becomes of keys, in the order in which it has to be done: of an algorithm never two sign. */
export type KeyChange<Key> = { readonly kind: 'retire' | 'sign' | 'wait'; readonly key: Key };

/**
 * A key that waits signs as soon as its record is found, and the one before it is retired. An Ed25519 key whose record is gone steps back:
 * the domain is verified without it, but a signature that nobody can verify is worse than none. The RSA key never does: its record is required.
 * @param verdictOf what was found of a key's record; undefined where it was not looked up.
 */
export function decideKeyChanges<Key extends ListedKey>(
  keys: readonly Key[],
  verdictOf: (key: Key) => RecordVerdict | undefined,
): readonly KeyChange<Key>[] {
  return (['rsa', 'ed25519'] as const).flatMap((algorithm): readonly KeyChange<Key>[] => {
    const inState = (state: ListedKey['state']) =>
      keys.find((key) => key.algorithm === algorithm && key.state === state);
    const [waiting, signing] = [inState('waiting'), inState('signing')];
    if (waiting !== undefined && verdictOf(waiting)?.status === 'pass') {
      return [
        ...(signing === undefined ? [] : [{ kind: 'retire', key: signing } as const]),
        { kind: 'sign', key: waiting },
      ];
    }
    if (algorithm === 'rsa' || signing === undefined || verdictOf(signing)?.status !== 'fail') return [];
    return [{ kind: waiting === undefined ? 'wait' : 'retire', key: signing }];
  });
}
