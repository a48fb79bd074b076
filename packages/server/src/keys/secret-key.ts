import { hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const BYTES = 32;

/**
 * Reads a 32-byte key from a setting: 32 bytes in hex or base64 are used directly, any other text of at least 32 characters through
 * HKDF-SHA-256. Returns null if the text is too short for a secret.
 */
export function toSecretKey(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) return Buffer.from(text, 'base64');
  return text.length < BYTES ? null : Buffer.from(hkdfSync('sha256', text, '', 'postrider secrets at rest', BYTES));
}

/**
 * Reads former keys from a setting: one, or several separated by commas. A text with commas is also tried as a single key. An extra
 * former key does no harm, because it only opens. Returns null if there is none.
 */
export function toFormerKeys(text: string): readonly Buffer[] | null {
  const texts = new Set([...text.split(',').map((part) => part.trim()), text]);
  const keys = [...texts].map(toSecretKey).filter((key) => key !== null);
  return keys.length === 0 ? null : keys;
}

/** The file with the key when no setting provides one, followed by its former keys. */
export function secretKeyFile(dataDir: string): string {
  return join(dataDir, 'secret.key');
}

/** Created once and stored next to the data it protects, which is good enough for development, where both are on the same disk anyway. */
export function readOrMakeSecretKey(dataDir: string): Buffer {
  const known = readKeyFile(dataDir)[0];
  if (known !== undefined) return known;
  const path = secretKeyFile(dataDir);
  const draft = writeDraft(path, randomBytes(BYTES).toString('base64'));
  try {
    // Creating a hard link is atomic and succeeds once: two processes that start together both read the key that one of them wrote.
    linkSync(draft, path);
  } catch (error) {
    if (!isFault(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = readKeyFile(dataDir)[0];
  if (made === undefined) throw new Error(`${path} contains no key.`);
  return made;
}

/** The former keys in the file of the data directory, newest first. */
export function readFormerKeys(dataDir: string): readonly Buffer[] {
  return readKeyFile(dataDir).slice(1);
}

/** Adds a new first key to the file in the data directory. The caller must prevent concurrent calls. */
export function addKeyToFile(dataDir: string): void {
  readOrMakeSecretKey(dataDir);
  const keys = [randomBytes(BYTES), ...readKeyFile(dataDir)];
  const path = secretKeyFile(dataDir);
  const draft = writeDraft(path, `${keys.map((key) => key.toString('base64')).join('\n')}\n`);
  // A concurrent reader finds either the old file or the new one, never part of one.
  renameSync(draft, path);
}

/** One key per line, the present one first; empty if there is no file. */
function readKeyFile(dataDir: string): readonly Buffer[] {
  try {
    const lines = readFileSync(secretKeyFile(dataDir), 'utf8').split('\n');
    return lines.filter((line) => line.trim() !== '').map((line) => Buffer.from(line, 'base64'));
  } catch (error) {
    if (isFault(error, 'ENOENT')) return [];
    throw error;
  }
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Left by a process with the same id that was killed.
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    // Flushed to disk, because secrets are about to be sealed with this key and it must survive a power failure.
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}

function isFault(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
