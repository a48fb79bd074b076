import { createPrivateKey, randomBytes, sign } from 'node:crypto';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';
import type { ShopKey } from './sender-round.ts';

export interface RsaQuestion {
  readonly count: number;
}

/** The size of the signed headers of the sample message. */
const SIGNED_BYTES = 550;

const key = createPrivateKey(childSettings<ShopKey>().privateKeyPem);

/** Signs different data `count` times on the main thread, with a key parsed once. Returns signatures per CPU-second. */
function signAlone({ count }: RsaQuestion): number {
  const data = Array.from({ length: count }, () => randomBytes(SIGNED_BYTES));
  const beganMs = ownUsage().cpuMs;
  for (const bytes of data) sign('sha256', bytes, key);
  return count / ((ownUsage().cpuMs - beganMs) / 1_000);
}

serveParent({}, async (question) => signAlone(question as RsaQuestion)); // Sent only by bench-deliver.ts.
