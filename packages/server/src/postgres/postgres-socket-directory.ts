import { chmod, chown, lstat, mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgresError, USE_OWN_DATABASE } from './embedded-postgres-error.ts';
import { POSTGRES_PORT, type PostgresPlace } from './postgres-place.ts';
import type { FileOwner } from './postgres-privileges.ts';

const SOCKET_NAME = `.s.PGSQL.${POSTGRES_PORT}`;
/** A socket path can have 104 bytes on macOS and 108 on Linux. */
const SOCKET_PATH_LIMIT_BYTES = 100;
/** Settings and clients accept lists and ports here: commas, colons, quotes and spaces would be misread. */
const PLAIN_PATH = /^[\w./@+=~-]+$/;

/**
 * Creates the private folder for the server's socket: in the data directory, or, if its path is too long or its file
 * system does not support sockets, in the system's temporary folder, with a name derived from the data directory.
 *
 * @throws EmbeddedPostgresError if another user has created that folder
 */
export async function prepareSocketDirectory(place: PostgresPlace, owner: FileOwner): Promise<string> {
  const inside = join(place.dataDir, 'run');
  if (fits(inside)) {
    await makePrivate(inside, owner);
    if (await holdsSockets(inside)) return inside;
  }
  const temporary = join(tmpdir(), place.clusterName);
  const outside = fits(temporary) ? temporary : join('/tmp', place.clusterName);
  await makePrivate(outside, owner);
  return outside;
}

/** Removes what a killed server left: a server does not start next to a lock whose process id belongs to another running process. */
export async function removeStaleSocket(socketDirectory: string): Promise<void> {
  await rm(join(socketDirectory, SOCKET_NAME), { force: true });
  await rm(join(socketDirectory, `${SOCKET_NAME}.lock`), { force: true });
}

/** Creates the folder, or uses it if it is already ours. Also called before a restart, in case it was deleted. */
export async function makePrivate(path: string, owner: FileOwner): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  // lstat: a link that another user created there must not redirect us.
  const folder = await lstat(path);
  if (!folder.isDirectory() || ![process.geteuid?.(), owner.uid].includes(folder.uid)) throw ownedByOther(path);
  if (folder.uid !== owner.uid || folder.gid !== owner.gid) await chown(path, owner.uid, owner.gid);
  if ((folder.mode & 0o777) !== 0o700) await chmod(path, 0o700);
}

function fits(folder: string): boolean {
  return PLAIN_PATH.test(folder) && Buffer.byteLength(join(folder, `${SOCKET_NAME}.lock`)) < SOCKET_PATH_LIMIT_BYTES;
}

/** Network and shared file systems may not support sockets. */
async function holdsSockets(folder: string): Promise<boolean> {
  const path = join(folder, '.probe');
  await rm(path, { force: true });
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(path, () => server.close(() => resolve(true)));
  });
}

function ownedByOther(path: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The folder for the database's socket, ${path}, belongs to another user.`,
    `Remove it, set TMPDIR to your own folder, use a data directory with a shorter path, or ${USE_OWN_DATABASE}.`,
  );
}
