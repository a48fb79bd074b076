import { spawn } from 'node:child_process';
import { closeSync, constants, fchownSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PROGRAM_ENVIRONMENT } from './run-program.ts';

/**
 * `held`: the lock is ours for as long as any process has `fd` open. Where the system has no lock to give (`enforced`
 * false), the file is open all the same, and the caller has to find out by other means who else is there.
 */
type FileLockAttempt = { state: 'held'; fd: number; enforced: boolean } | { state: 'busy' };

/** macOS locks as it opens: O_EXLOCK and O_NONBLOCK of its fcntl.h, of which Node names only the second. */
const DARWIN_EXCLUSIVE_LOCK = 0x20;

/**
 * Tries once for the exclusive lock on a file, and makes the file if need be. It is a flock(2) lock: the kernel takes it
 * back when the last holder dies, however it dies, so nothing stale can be left behind, and it is seen from other
 * containers that share the folder. A file with a process id in it has neither property.
 *
 * @throws the system's error where the file cannot be opened for writing
 */
export async function tryFileLock(path: string): Promise<FileLockAttempt> {
  const flags = constants.O_RDWR | constants.O_CREAT;
  if (process.platform === 'darwin') return lockByOpening(path, flags | DARWIN_EXCLUSIVE_LOCK | constants.O_NONBLOCK);
  const fd = openOwnedFile(path, flags);
  const verdict = await lockOpenFile(fd);
  if (verdict === 'busy') closeSync(fd);
  return verdict === 'busy' ? { state: 'busy' } : { state: 'held', fd, enforced: verdict === 'locked' };
}

/**
 * Opens a private file and gives it the owner of its folder: what root makes while it helps out in another user's data
 * directory must not lock that user out afterwards.
 */
export function openOwnedFile(path: string, flags: number): number {
  const fd = openSync(path, flags, 0o600);
  if (process.geteuid?.() !== 0) return fd;
  const folder = statSync(dirname(path));
  fchownSync(fd, folder.uid, folder.gid);
  return fd;
}

function lockByOpening(path: string, flags: number): FileLockAttempt {
  try {
    return { state: 'held', fd: openOwnedFile(path, flags), enforced: true };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return { state: 'busy' };
    throw error;
  }
}

/**
 * Node has no call for flock(2). The command locks the open file it inherits, which is our own, and the lock stays with
 * that file after the command has ended. It answers 1 where somebody else holds it.
 */
function lockOpenFile(fd: number): Promise<'locked' | 'busy' | 'unsupported'> {
  return new Promise((resolve) => {
    const child = spawn('flock', ['-n', '3'], {
      cwd: '/',
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'ignore', fd],
    });
    child.once('error', () => resolve('unsupported'));
    child.once('exit', (code) => resolve(code === 0 ? 'locked' : code === 1 ? 'busy' : 'unsupported'));
  });
}
