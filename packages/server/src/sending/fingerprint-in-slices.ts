import { createHash } from 'node:crypto';
import { isLargeJson } from '../json-pieces.ts';
import { hashJsonInSlices } from '../threads/sliced-json.ts';
import { canonicalInput, fingerprintOf } from './idempotency.ts';

/** Computes what `fingerprintOf` returns in slices, because the input may be as large as a request. */
export async function fingerprintInSlices(input: unknown): Promise<string> {
  if (!isLargeJson(input)) return fingerprintOf(input);
  return (await hashJsonInSlices(createHash('sha256'), canonicalInput(input))).digest('base64url');
}
