import type { ListedKey } from './domain-records.ts';
import type { RecordVerdict } from './record-verdict.ts';

/** A change of a key's state, in the order to apply them: two keys of one algorithm never sign at once. */
export type KeyChange<Key> = { readonly kind: 'retire' | 'sign' | 'wait'; readonly key: Key };

/**
 * A waiting key signs as soon as its record is found, and the previous key is retired. An Ed25519 key whose record is gone waits again: the
 * domain is verified without it, but an unverifiable signature is worse than none. The RSA key keeps signing, because its record is
 * required.
 * @param verdictOf the result of a key's lookup; undefined if it was not looked up
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
