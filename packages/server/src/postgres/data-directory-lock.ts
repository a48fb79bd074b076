import { closeSync, ftruncateSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedPostgresError, USE_OWN_DATABASE } from './embedded-postgres-error.ts';
import { tryFileLock } from './file-lock.ts';
import { readProcessIdentity } from './running-process.ts';

export interface DataDirectoryLock {
  release(): void;
}

const LOCK_FILE = 'postrider.lock';
/** A process that was killed an instant ago may need a moment to disappear. */
const ATTEMPTS = 10;
const PAUSE_MS = 50;

/**
 * Makes this process the only owner of the data directory's database, until it releases it or dies.
 *
 * @throws EmbeddedPostgresError naming the process that owns it already
 */
export async function lockDataDirectory(dataDir: string): Promise<DataDirectoryLock> {
  for (let attempt = 1; ; attempt += 1) {
    const fd = await takeLock(dataDir);
    if (fd !== null) return await signOwnership(fd);
    if (attempt === ATTEMPTS) throw ownedBy(dataDir, await readRecordedPid(dataDir));
    await pause(PAUSE_MS);
  }
}

/** The live process that owns the data directory's database, or null. */
export async function findDataDirectoryOwner(dataDir: string): Promise<number | null> {
  const [pid, identity] = (await readRecord(dataDir)).split('\n');
  if (pid === undefined || identity === undefined || !/^\d+$/.test(pid)) return null;
  return (await readProcessIdentity(Number(pid))) === identity ? Number(pid) : null;
}

async function takeLock(dataDir: string): Promise<number | null> {
  const attempt = await tryFileLock(join(dataDir, LOCK_FILE));
  if (attempt.state === 'busy') return null;
  if (attempt.enforced || (await findDataDirectoryOwner(dataDir)) === null) return attempt.fd;
  closeSync(attempt.fd);
  return null;
}

async function signOwnership(fd: number): Promise<DataDirectoryLock> {
  const identity = (await readProcessIdentity(process.pid)) ?? '';
  ftruncateSync(fd, 0);
  writeSync(fd, `${process.pid}\n${identity}\n`, 0);
  let released = false;
  return {
    release() {
      if (released) return;
      released = true;
      // The file is not removed: otherwise two processes could lock two files with the same name.
      ftruncateSync(fd, 0);
      closeSync(fd);
    },
  };
}

async function readRecord(dataDir: string): Promise<string> {
  return await readFile(join(dataDir, LOCK_FILE), 'utf8').catch(() => '');
}

async function readRecordedPid(dataDir: string): Promise<string> {
  const [pid] = (await readRecord(dataDir)).split('\n');
  return pid === undefined || pid === '' ? 'unknown' : pid;
}

function ownedBy(dataDir: string, pid: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The data directory ${dataDir} is in use by another Postrider process (process ${pid}).`,
    `Stop that process, use another data directory for this one (POSTRIDER_DATA_DIR), or, to run several against one database, ${USE_OWN_DATABASE}.`,
  );
}
