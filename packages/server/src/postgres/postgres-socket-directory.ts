import { chmod, chown, lstat, mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgresError, USE_OWN_DATABASE } from './embedded-postgres-error.ts';
import { POSTGRES_PORT, type PostgresPlace } from './postgres-place.ts';
import type { FileOwner } from './postgres-privileges.ts';

const SOCKET_NAME = `.s.PGSQL.${POSTGRES_PORT}`;
/** A socket's address has room for 104 bytes on macOS and 108 on Linux. */
const SOCKET_PATH_LIMIT_BYTES = 100;
/** Settings and clients take lists and ports in this place: commas, colons, quotes and spaces would be misread. */
const PLAIN_PATH = /^[\w./@+=~-]+$/;

/**
 * Makes the private folder for the server's socket: in the data directory, or, where its path is too long or its file
 * system has no sockets, in the system's folder for temporary files, under a name that follows from the data directory.
 *
 * @throws EmbeddedPostgresError where somebody else has made that folder
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

/** Removes what a killed server left: it refuses to start beside a lock whose process number now is somebody else's. */
export async function removeStaleSocket(socketDirectory: string): Promise<void> {
  await rm(join(socketDirectory, SOCKET_NAME), { force: true });
  await rm(join(socketDirectory, `${SOCKET_NAME}.lock`), { force: true });
}

/** Makes the folder, or takes it over where it is ours already. Also called before a restart, in case it was cleared. */
export async function makePrivate(path: string, owner: FileOwner): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  // lstat: a link that somebody else put there must not lead us elsewhere.
  const folder = await lstat(path);
  if (!folder.isDirectory() || ![process.geteuid?.(), owner.uid].includes(folder.uid)) throw notOurs(path);
  if (folder.uid !== owner.uid || folder.gid !== owner.gid) await chown(path, owner.uid, owner.gid);
  if ((folder.mode & 0o777) !== 0o700) await chmod(path, 0o700);
}

function fits(folder: string): boolean {
  return PLAIN_PATH.test(folder) && Buffer.byteLength(join(folder, `${SOCKET_NAME}.lock`)) < SOCKET_PATH_LIMIT_BYTES;
}

/** Network and shared file systems may hold no sockets. */
async function holdsSockets(folder: string): Promise<boolean> {
  const path = join(folder, '.probe');
  await rm(path, { force: true });
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(path, () => server.close(() => resolve(true)));
  });
}

function notOurs(path: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The folder for the database's socket, ${path}, belongs to somebody else.`,
    `Remove it, set TMPDIR to a folder of your own, use a data directory with a shorter path, or ${USE_OWN_DATABASE}.`,
  );
}
