import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SealedKey } from '../db/queries/doctor.ts';
import { createInstallationBox, createSecretBox, type SecretBox } from '../keys/secret-box.ts';
import { type DoctorCheck, fail, messageOf, pass, skip, warn } from './doctor-check.ts';

const MIB = 1024 ** 2;
/** The journal and the WAL of the embedded PostgreSQL need at least this much. */
const FULL_BYTES = 256 * MIB;
const LOW_BYTES = 2_048 * MIB;

/** Free space in the data directory, or where it would be created. */
export function checkDataDirectory(dataDir: string): DoctorCheck {
  const folder = nearestFolder(dataDir);
  try {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a directory`);
    accessSync(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    return judgeSpace(dataDir, bavail * bsize);
  } catch (error) {
    const fix = 'Make it a directory that this user may write to, or choose another one with POSTRIDER_DATA_DIR.';
    return fail('data-directory', `The data directory ${dataDir} cannot be used: ${messageOf(error)}.`, fix);
  }
}

export function judgeSpace(dataDir: string, freeBytes: number): DoctorCheck {
  const message = `${Math.floor(freeBytes / MIB)} MiB are free in ${dataDir}.`;
  const fix = 'Free some space on that disk, or stop the server and move the data directory (POSTRIDER_DATA_DIR).';
  if (freeBytes < FULL_BYTES) return fail('data-directory', message, fix);
  return freeBytes < LOW_BYTES ? warn('data-directory', message, fix) : pass('data-directory', message);
}

export interface SecretKeyFacts {
  /** The file that contains the key; null if a setting provides it. */
  readonly file: string | null;
  readonly key: () => Buffer;
  readonly formerKeys: () => readonly Buffer[];
  /** The encrypted values in the database; null if they cannot be read. */
  readonly sealed: readonly SealedKey[] | null;
}

const RESTORE =
  'Set POSTRIDER_SECRET_KEY to the key they were encrypted with (or restore secret.key): without it those domains cannot sign.';

const RESEAL = 'Run `postrider-server secrets rotate`, which encrypts them with the current key.';

/** Whether there is a key, and whether it decrypts the stored values. This check does not create a missing key. */
export function checkSecretKey({ file, key, formerKeys, sealed }: SecretKeyFacts): DoctorCheck {
  const isMissing = file !== null && !existsSync(file);
  if (isMissing && sealed !== null && sealed.length > 0)
    return fail('secret-key', `${file} is missing, and ${sealed.length} stored keys are encrypted with it.`, RESTORE);
  if (isMissing) return skip('secret-key', 'There is no secret key yet; the first start creates one.');
  if (sealed === null)
    return skip(
      'secret-key',
      'There is a secret key, but it was not tested because the stored values could not be read.',
    );
  const any = createInstallationBox({ secretKey: key, formerSecretKeys: formerKeys });
  const closed = [...new Set(sealed.filter((one) => !opens(any, one)).map(({ domain }) => domain))];
  if (closed.length > 0)
    return fail('secret-key', `The secret key does not decrypt the DKIM keys of ${closed.join(', ')}.`, RESTORE);
  const present = createSecretBox(key());
  const former = sealed.filter((one) => !opens(present, one)).length;
  if (former > 0)
    return warn(
      'secret-key',
      `${former} of ${sealed.length} DKIM keys are encrypted with a former secret key.`,
      RESEAL,
    );
  return pass('secret-key', `The secret key decrypts the stored values (${sealed.length} DKIM keys tested).`);
}

function opens(box: SecretBox, { privateKey }: SealedKey): boolean {
  try {
    return box.open(privateKey).includes('PRIVATE KEY');
  } catch {
    return false;
  }
}

function nearestFolder(path: string): string {
  const parent = dirname(path);
  return existsSync(path) || parent === path ? path : nearestFolder(parent);
}
