import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { CliIo } from '../cli-io.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { ownFailure, usageFailure } from '../failure.ts';
import { openRequest } from '../open-request.ts';
import { isRecord, type JsonRecord, recordsOf } from '../output/json-value.ts';

/** Where a server publishes its keys, after its base URL. */
const KEYS_PATH = '/.well-known/postrider-receipts.json';

/** A key set, and the server that it belongs to if its address says so. */
export interface KeySet {
  readonly keys: readonly JsonRecord[];
  readonly issuer: string | null;
}

/** Reads a key set from a file or from the server that publishes it. */
export async function readKeySet(place: string, timeoutMs: number, io: CliIo): Promise<KeySet> {
  const isUrl = /^https?:\/\//i.test(place);
  const content = isUrl ? await fetchText(place, timeoutMs, io) : (await readBytes(place, io)).toString();
  const keys = recordsOf(parseRecord(content)?.['keys']);
  if (keys.length === 0) {
    throw usageFailure(`${place} is no key set`, `Pass the file or the address of the keys: <base URL>${KEYS_PATH}.`);
  }
  return { keys, issuer: isUrl && place.endsWith(KEYS_PATH) ? place.slice(0, -KEYS_PATH.length) : null };
}

/** Reads a receipt: the JWS itself, or the JSON of the hold with its `receipt`. */
export async function readReceipt(path: string, io: CliIo): Promise<string> {
  const content = (await readBytes(path, io)).toString().trim();
  const receipt = parseRecord(content)?.['receipt'];
  return typeof receipt === 'string' ? receipt : content;
}

/** Reads a JSON object, as `--json` prints it. */
export async function readRecord(path: string, io: CliIo): Promise<JsonRecord> {
  const record = parseRecord((await readBytes(path, io)).toString());
  if (record === null) {
    throw usageFailure(`${path} is no JSON object`, 'Pass the output of `postrider approvals get <id> --json`.');
  }
  return record;
}

export async function readBytes(path: string, io: CliIo): Promise<Buffer> {
  try {
    return await readFile(resolve(io.cwd, path));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usageFailure(`${path} cannot be read (${reason})`, 'Check the path.');
  }
}

async function fetchText(url: string, timeoutMs: number, io: CliIo): Promise<string> {
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = io.signal === undefined ? limit : AbortSignal.any([limit, io.signal]);
  try {
    // Redirects are not followed: the address says whose keys these are.
    const response = await openRequest(url, { agent: false, signal, headers: { accept: 'application/json' } });
    const body = await text(response);
    if (response.statusCode === 200) return body;
    throw new Error(`HTTP ${response.statusCode}`);
  } catch (error) {
    io.signal?.throwIfAborted();
    const detail = `the keys cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    const fix = 'Check the address, or save the keys in a file and pass that.';
    throw ownFailure(EXIT_CODES.unavailable, 'keys_unavailable', 'No keys', detail, fix, true);
  }
}

function parseRecord(content: string): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(content);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
