import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SealedKey } from '../db/queries/doctor.ts';
import { createInstallationBox, createSecretBox, type SecretBox } from '../keys/secret-box.ts';
import { type DoctorCheck, fail, messageOf, pass, skip, warn } from './doctor-check.ts';

const MIB = 1024 ** 2;
/** The journal and the embedded PostgreSQL's own log of changes need this much at any moment. */
const FULL_BYTES = 256 * MIB;
const LOW_BYTES = 2_048 * MIB;

/** Room in the data directory, or where it would be made. */
export function checkDataDirectory(dataDir: string): DoctorCheck {
  const folder = nearestFolder(dataDir);
  try {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is no directory`);
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
  const fix = 'Make room on that disk, or move the data directory (POSTRIDER_DATA_DIR) while the server is stopped.';
  if (freeBytes < FULL_BYTES) return fail('data-directory', message, fix);
  return freeBytes < LOW_BYTES ? warn('data-directory', message, fix) : pass('data-directory', message);
}

export interface SecretKeyFacts {
  /** The file that holds the key; null where a setting gives it. */
  readonly file: string | null;
  readonly key: () => Buffer;
  readonly formerKeys: () => readonly Buffer[];
  /** What is sealed in the database; null where that cannot be read. */
  readonly sealed: readonly SealedKey[] | null;
}

const RESTORE =
  'Set POSTRIDER_SECRET_KEY to the key it was sealed with (or restore secret.key): without it those domains cannot sign.';

const RESEAL = 'Run `postrider-server secrets rotate`, which seals them with the present one.';

/** Whether there is a key, and whether it opens what is stored. A key that is not there is not made here. */
export function checkSecretKey({ file, key, formerKeys, sealed }: SecretKeyFacts): DoctorCheck {
  const isMissing = file !== null && !existsSync(file);
  if (isMissing && sealed !== null && sealed.length > 0)
    return fail('secret-key', `${file} is gone, and ${sealed.length} stored keys are sealed with it.`, RESTORE);
  if (isMissing) return skip('secret-key', 'There is no secret key yet; the first start makes one.');
  if (sealed === null)
    return skip('secret-key', 'There is a secret key. What is stored could not be read to try it on.');
  const any = createInstallationBox({ secretKey: key, formerSecretKeys: formerKeys });
  const closed = [...new Set(sealed.filter((one) => !opens(any, one)).map(({ domain }) => domain))];
  if (closed.length > 0)
    return fail('secret-key', `The secret key does not open the DKIM keys of ${closed.join(', ')}.`, RESTORE);
  const present = createSecretBox(key());
  const former = sealed.filter((one) => !opens(present, one)).length;
  if (former > 0)
    return warn('secret-key', `${former} of ${sealed.length} DKIM keys are sealed with a former secret key.`, RESEAL);
  return pass('secret-key', `The secret key opens what is stored (${sealed.length} DKIM keys tried).`);
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
