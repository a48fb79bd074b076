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
 * The 32-byte key of a setting's text: hex or base64 of exactly 32 bytes as they are, any other text of at least 32 characters through
 * HKDF-SHA-256. Null where the text is too short to be a secret.
 */
export function toSecretKey(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) return Buffer.from(text, 'base64');
  return text.length < BYTES ? null : Buffer.from(hkdfSync('sha256', text, '', 'postrider secrets at rest', BYTES));
}

/**
 * The former keys of a setting's text: one, or several separated by commas. Where the text is itself a key with commas in it, it counts too:
 * a former key only opens, so one too many does no harm. Null where there is none.
 */
export function toFormerKeys(text: string): readonly Buffer[] | null {
  const texts = new Set([...text.split(',').map((part) => part.trim()), text]);
  const keys = [...texts].map(toSecretKey).filter((key) => key !== null);
  return keys.length === 0 ? null : keys;
}

/** Where the key lies that no setting gives; after it, those it had before. */
export function secretKeyFile(dataDir: string): string {
  return join(dataDir, 'secret.key');
}

/** Made once, kept beside the data it protects: good enough for development, where both lie on the same disk anyway. */
export function readOrMakeSecretKey(dataDir: string): Buffer {
  const known = readKeyFile(dataDir)[0];
  if (known !== undefined) return known;
  const path = secretKeyFile(dataDir);
  const draft = writeDraft(path, randomBytes(BYTES).toString('base64'));
  try {
    // A link is made whole or not at all, and only once: of two processes that start together both read what one wrote.
    linkSync(draft, path);
  } catch (error) {
    if (!isFault(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = readKeyFile(dataDir)[0];
  if (made === undefined) throw new Error(`${path} holds no key.`);
  return made;
}

/** The keys that the file of the data directory held before the present one, the newest first. */
export function readFormerKeys(dataDir: string): readonly Buffer[] {
  return readKeyFile(dataDir).slice(1);
}

/** Puts a new key before those in the file of the data directory. The caller sees to it that nobody else does so at the same time. */
export function addKeyToFile(dataDir: string): void {
  readOrMakeSecretKey(dataDir);
  const keys = [randomBytes(BYTES), ...readKeyFile(dataDir)];
  const path = secretKeyFile(dataDir);
  const draft = writeDraft(path, `${keys.map((key) => key.toString('base64')).join('\n')}\n`);
  // Whoever reads at this moment finds the old file or the new one, whole.
  renameSync(draft, path);
}

/** One key a line, the present one first; empty where there is no file. */
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
  // Of whoever wrote one under the same process id and was killed.
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    // Secrets are about to be sealed with it: it may not be lost with the power.
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}

function isFault(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
