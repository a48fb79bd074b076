import { hkdfSync } from 'node:crypto';

const BYTES = 32;

/** The keys of one purpose, of the installation's secret keys. */
export interface DerivedKeys {
  /** Signs. */
  readonly present: Buffer;
  readonly former: readonly Buffer[];
  /** What is signed with any of these is honoured; the present one is tried first. */
  readonly all: readonly Buffer[];
}

/** Derives by HKDF-SHA-256, so that what is signed for one purpose says nothing for another, and nothing of the secret key. */
export function deriveKeys(purpose: string, secretKey: Buffer, formerKeys: readonly Buffer[]): DerivedKeys {
  const derive = (key: Buffer) => Buffer.from(hkdfSync('sha256', key, '', purpose, BYTES));
  const present = derive(secretKey);
  const former = formerKeys.map(derive);
  return { present, former, all: [present, ...former] };
}
