import { createHash } from 'node:crypto';
import { isLargeJson, jsonPieces } from '../json-pieces.ts';
import { nextSlice } from '../time-slice.ts';
import { canonicalInput, fingerprintOf } from './idempotency.ts';

/** What `fingerprintOf` returns, worked out in slices: the input may be as large as a request. */
export async function fingerprintInSlices(input: unknown): Promise<string> {
  if (!isLargeJson(input)) return fingerprintOf(input);
  const digest = createHash('sha256');
  for (const piece of jsonPieces(canonicalInput(input))) {
    await nextSlice();
    digest.update(piece);
  }
  return digest.digest('base64url');
}
