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
  /** Stays the same when the server is started again. */
  readonly connection: PostgresConnection;
  /** Whether the server belongs to another process. */
  readonly attached: boolean;
  /** Shuts the server down: fast, and immediately where that takes more than 10 s. Nothing where attached. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Postrider's data directory. The cluster goes to `postgres` in it, the server's log to `postgres.log`. */
  dataDir: string;
  /** What a start is doing, for a person who watches it. */
  onProgress?: (text: string) => void;
  /** The server has ended unasked, or could not be started again yet; it is tried on. */
  onDown?: (reason: string) => void;
  /** The server takes connections again. */
  onUp?: () => void;
  /** Further settings of the server, which overrule the launcher's. */
  settings?: Readonly<Record<string, string>>;
}

/** How long an operator command waits for the server's owner to have it up. */
const ATTACH_WAIT_MS = 30_000;
const ATTACH_POLL_MS = 50;

/**
 * Starts the data directory's own PostgreSQL, and makes it first if there is none. This process then owns it: it keeps
 * it running until `stop`, and should this process be killed, a watchdog stops the server.
 *
 * @throws EmbeddedPostgresError with what to do about it, also where another process owns the data directory
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
 * Finds the server that another Postrider process runs on this data directory; null where none does. Waits while that
 * process is still starting it.
 *
 * @throws EmbeddedPostgresError where the owner does not get it up
 */
export async function attachEmbeddedPostgres(options: { dataDir: string }): Promise<EmbeddedPostgres | null> {
  const place = await findPostgresPlace(options.dataDir).catch(() => null);
  if (place === null) return null;
  const deadlineMs = performance.now() + ATTACH_WAIT_MS;
  for (;;) {
    const owner = await findDataDirectoryOwner(place.dataDir);
    if (owner === null) return null;
    const host = await findReadySocket(place);
    if (host !== null) return { connection: connectionTo(host), attached: true, stop: async () => {} };
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
  const letGo = () => {
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
    return { connection: connectionTo(socketDirectory), attached: false, stop: stopOnce(server, letGo) };
  } catch (error) {
    letGo();
    throw error;
  }
}

/** Sees to it that there is a cluster, whole and in the hands of the user who is to run it. */
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

/** Every call waits for the one shutdown. */
function stopOnce(server: SupervisedPostgres, letGo: () => void): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= server.stop().finally(letGo);
    return stopped;
  };
}

async function findReadySocket(place: PostgresPlace): Promise<string | null> {
  const file = await readPostmasterFile(place.postmasterFile);
  if (file === null || !file.ready) return null;
  // The file outlives a killed server, and the number in it may be a stranger's.
  return (await findServer(place)) === null ? null : file.socketDirectory;
}

function ownerWithoutServer(place: PostgresPlace, owner: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `Postrider (process ${owner}) runs on ${place.dataDir}, but its PostgreSQL is not ready, or not for this user to see.`,
    `Look into ${place.logFile} and what that process says, and run this as the user who runs it.`,
  );
}

function ignore(): void {}
