import { hkdfSync } from 'node:crypto';

const BYTES = 32;

/** The keys of one purpose, derived from the installation's secret keys. */
export interface DerivedKeys {
  /** Signs. */
  readonly present: Buffer;
  readonly former: readonly Buffer[];
  /** Signatures by any of these are valid; the current key is tried first. */
  readonly all: readonly Buffer[];
}

/** Derives by HKDF-SHA-256, so that a signature for one purpose reveals nothing about another or about the secret key. */
export function deriveKeys(purpose: string, secretKey: Buffer, formerKeys: readonly Buffer[]): DerivedKeys {
  const derive = (key: Buffer) => Buffer.from(hkdfSync('sha256', key, '', purpose, BYTES));
  const present = derive(secretKey);
  const former = formerKeys.map(derive);
  return { present, former, all: [present, ...former] };
}
