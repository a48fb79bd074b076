import { setTimeout as pause } from 'node:timers/promises';
import { type DataDirectoryLock, findDataDirectoryOwner, lockDataDirectory } from './data-directory-lock.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { locatePostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import {
  createCluster,
  inspectCluster,
  removeUnfinishedClusters,
  transferClusterOwnership,
} from './postgres-cluster.ts';
import { explainPostgresFailure } from './postgres-failure.ts';
import {
  connectionTo,
  findPostgresPlace,
  openPostgresPlace,
  POSTGRES_MAJOR,
  type PostgresConnection,
  type PostgresPlace,
} from './postgres-place.ts';
import { choosePrivileges, findFolderOwner, type PostgresPrivileges } from './postgres-privileges.ts';
import { claimCluster, findServer } from './postgres-processes.ts';
import { prepareSocketDirectory } from './postgres-socket-directory.ts';
import { type SupervisedPostgres, supervisePostgres } from './postgres-supervisor.ts';
import { type PostgresWatchdog, startPostgresWatchdog } from './postgres-watchdog.ts';
import { readPostmasterFile } from './postmaster-file.ts';

export { EmbeddedPostgresError } from './embedded-postgres-error.ts';
export type { PostgresConnection } from './postgres-place.ts';

export interface EmbeddedPostgres {
  /** Stays the same when the server is restarted. */
  readonly connection: PostgresConnection;
  /** Whether another process owns the server. */
  readonly attached: boolean;
  /** Sets the other processes that use the server. If this process is killed, the server runs until they have ended, for 15 s at most. */
  waitFor(pids: readonly number[]): void;
  /** Shuts the server down: fast, and immediately if that takes more than 10 s. Does nothing if the server belongs to another process. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Postrider's data directory. The cluster is in its `postgres` folder, the server's log is `postgres.log`. */
  dataDir: string;
  /** Progress messages of a start, for a user who watches it. */
  onProgress?: (text: string) => void;
  /** The server ended unexpectedly, or could not be restarted yet; retries continue. */
  onDown?: (reason: string) => void;
  /** The server accepts connections again. */
  onUp?: () => void;
  /** Additional server settings, which override the launcher's. */
  settings?: Readonly<Record<string, string>>;
}

/** How long an operator command waits until the server's owner has started it. */
const ATTACH_WAIT_MS = 30_000;
const ATTACH_POLL_MS = 50;

/**
 * Starts the data directory's own PostgreSQL, and creates it first if there is none. This process then owns it and keeps
 * it running until `stop`. If this process is killed, a watchdog stops the server.
 *
 * @throws EmbeddedPostgresError with what to do about it, also if another process owns the data directory
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = await locatePostgresBinaries();
  const place = await openPostgresPlace(options.dataDir);
  const attempted = `The embedded PostgreSQL in ${place.dataDir} could not be started`;
  try {
    const lock = await lockDataDirectory(place.dataDir);
    return await startOwned(options, place, binaries, lock);
  } catch (error) {
    throw explainPostgresFailure(attempted, error);
  }
}

/**
 * Finds the server that another Postrider process runs on this data directory; null if there is none. Waits while that
 * process is still starting it.
 *
 * @throws EmbeddedPostgresError if the owner does not get it started
 */
export async function attachEmbeddedPostgres(options: { dataDir: string }): Promise<EmbeddedPostgres | null> {
  const place = await findPostgresPlace(options.dataDir).catch(() => null);
  if (place === null) return null;
  const deadlineMs = performance.now() + ATTACH_WAIT_MS;
  for (;;) {
    const owner = await findDataDirectoryOwner(place.dataDir);
    if (owner === null) return null;
    const host = await findReadySocket(place);
    if (host !== null)
      return { connection: connectionTo(host), attached: true, waitFor: () => {}, stop: async () => {} };
    if (performance.now() > deadlineMs) throw ownerWithoutServer(place, owner);
    await pause(ATTACH_POLL_MS);
  }
}

async function startOwned(
  options: EmbeddedPostgresOptions,
  place: PostgresPlace,
  binaries: PostgresBinaries,
  lock: DataDirectoryLock,
): Promise<EmbeddedPostgres> {
  const watchdog = startPostgresWatchdog(place.postmasterFile);
  const release = () => {
    watchdog.dismiss();
    lock.release();
  };
  try {
    const privileges = await prepareCluster(options, place, binaries, watchdog);
    const socketDirectory = await prepareSocketDirectory(place, privileges);
    const { onProgress = ignore, onDown = ignore, onUp = ignore, settings = {} } = options;
    onProgress(`starting PostgreSQL ${POSTGRES_MAJOR}`);
    const plan = { place, binaries, privileges, watchdog, socketDirectory, settings, onProgress };
    const server = await supervisePostgres(plan, { onDown, onUp });
    return {
      connection: connectionTo(socketDirectory),
      attached: false,
      waitFor: watchdog.waitFor,
      stop: stopOnce(server, release),
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Makes sure that there is a complete cluster that belongs to the user who will run it. */
async function prepareCluster(
  options: EmbeddedPostgresOptions,
  place: PostgresPlace,
  binaries: PostgresBinaries,
  watchdog: PostgresWatchdog,
): Promise<PostgresPrivileges> {
  const claim = await claimCluster(place);
  try {
    const owner = await inspectCluster(place);
    await removeUnfinishedClusters(place);
    const privileges = await choosePrivileges(binaries, place.dataDir, owner ?? (await findFolderOwner(place.dataDir)));
    if (owner === null) {
      options.onProgress?.('preparing the database (first start only)');
      const durable = options.settings?.['fsync'] !== 'off';
      await createCluster({ place, binaries, privileges, watchdog, claimFd: claim.fd, durable });
    } else {
      await transferClusterOwnership(place, owner, privileges);
    }
    return privileges;
  } finally {
    claim.release();
  }
}

/** All calls wait for the same shutdown. */
function stopOnce(server: SupervisedPostgres, release: () => void): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= server.stop().finally(release);
    return stopped;
  };
}

async function findReadySocket(place: PostgresPlace): Promise<string | null> {
  const file = await readPostmasterFile(place.postmasterFile);
  if (file === null || !file.ready) return null;
  // The file survives a killed server, and its process id may by now belong to another process.
  return (await findServer(place)) === null ? null : file.socketDirectory;
}

function ownerWithoutServer(place: PostgresPlace, owner: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `Postrider (process ${owner}) runs on ${place.dataDir}, but its PostgreSQL is not ready, or this user cannot access it.`,
    `Check ${place.logFile} and the output of that process, and run this command as the same user.`,
  );
}

function ignore(): void {}
