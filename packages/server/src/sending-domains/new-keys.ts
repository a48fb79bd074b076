import { randomBytes } from 'node:crypto';
import type { NewDkimKey } from '../db/queries/dkim-keys.ts';
import { generateEd25519Key } from './dkim-key.ts';
import type { DomainReference, DomainTools } from './domain-tools.ts';
import type { TooManyKeys } from './key-maker.ts';

/** A key to generate. */
export interface NewKeyOptions {
  readonly algorithm: NewDkimKey['algorithm'];
  readonly selector: string;
  readonly state: NewDkimKey['state'];
}

/** Generates keys off the main thread and seals their private halves. */
export async function makeKeys(
  { ids, secrets, keyMaker }: Pick<DomainTools, 'ids' | 'secrets' | 'keyMaker'>,
  { accountId, id: domainId }: DomainReference,
  options: readonly NewKeyOptions[],
  now: Date,
): Promise<readonly NewDkimKey[] | TooManyKeys> {
  const keys: NewDkimKey[] = [];
  for (const { algorithm, selector, state } of options) {
    const pair = algorithm === 'rsa' ? await keyMaker.make(accountId) : await generateEd25519Key();
    if ('kind' in pair) return pair;
    const privateKey = secrets.seal(pair.privateKeyPem);
    const id = ids.next(now);
    keys.push({
      ...{ accountId, id, domainId, algorithm, selector, privateKey, publicKey: pair.publicKeyBase64, state, now },
    });
  }
  return keys;
}

const SELECTOR_BYTES = 5;

/**
 * Every key has its own selector: verifiers and caches may still have the record of an earlier key, and several accounts can publish theirs
 * in parallel.
 */
export function makeSelector(): string {
  return `pr${randomBytes(SELECTOR_BYTES).toString('hex')}`;
}

/** The selector of the Ed25519 key that accompanies an RSA key. */
export function ed25519Selector(selector: string): string {
  return `${selector}-ed25519`;
}
