import type { Hash } from 'node:crypto';
import { isLargeJson, jsonPieces } from '../json-pieces.ts';
import { nextSlice } from '../time-slice.ts';

/** The output of `JSON.stringify` for plain data, written in slices: the data may be as large as a request. */
export async function writeJsonInSlices(value: unknown): Promise<string> {
  if (!isLargeJson(value)) return JSON.stringify(value);
  const pieces: string[] = [];
  for (const piece of jsonPieces(value)) {
    await nextSlice();
    pieces.push(piece);
  }
  return pieces.join('');
}

/** Adds that text to a hash. */
export async function hashJsonInSlices(hash: Hash, value: unknown): Promise<Hash> {
  if (!isLargeJson(value)) return hash.update(JSON.stringify(value));
  for (const piece of jsonPieces(value)) {
    await nextSlice();
    hash.update(piece);
  }
  return hash;
}

/** Hashing this many bytes takes about a millisecond. */
const CHUNK_BYTES = 512 * 1024;

export async function hashBytesInSlices(hash: Hash, bytes: Uint8Array): Promise<Hash> {
  for (let start = 0; start < bytes.byteLength; start += CHUNK_BYTES) {
    if (start > 0) await nextSlice();
    hash.update(bytes.subarray(start, start + CHUNK_BYTES));
  }
  return hash;
}
