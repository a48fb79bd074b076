import { spawn } from 'node:child_process';
import { closeSync, constants, fchownSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PROGRAM_ENVIRONMENT } from './run-program.ts';

/**
 * `held`: the lock is ours as long as any process has `fd` open. If the system does not support locks (`enforced`
 * false), the file is opened anyway, and the caller must detect other owners in another way.
 */
type FileLockAttempt = { state: 'held'; fd: number; enforced: boolean } | { state: 'busy' };

/** macOS can lock on open: O_EXLOCK and O_NONBLOCK from its fcntl.h, of which Node only defines the second. */
const DARWIN_EXCLUSIVE_LOCK = 0x20;

/**
 * Tries once to get the exclusive lock on a file, and creates the file if needed. It is a flock(2) lock: the kernel
 * releases it when the last holder dies in any way, so it cannot become stale, and other containers that share the
 * folder see it. A file with a process id has neither property.
 *
 * @throws the system's error if the file cannot be opened for writing
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
 * Opens a private file and gives it the owner of its folder: files that root creates in another user's data directory
 * must not lock that user out later.
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
 * Node has no call for flock(2). The command locks the open file that it inherits, which is ours, and the lock stays
 * with that file after the command has ended. It returns 1 if another process has the lock.
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
