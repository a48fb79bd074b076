import { randomBytes } from 'node:crypto';
import { lchown, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { EmbeddedPostgresError, USE_OWN_DATABASE } from './embedded-postgres-error.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { describePostgresFailure } from './postgres-failure.ts';
import { POSTGRES_DATABASE, POSTGRES_MAJOR, POSTGRES_USER, type PostgresPlace } from './postgres-place.ts';
import type { FileOwner, PostgresPrivileges } from './postgres-privileges.ts';
import type { PostgresWatchdog } from './postgres-watchdog.ts';
import { type ProgramOptions, runProgram } from './run-program.ts';

/**
 * Checks the cluster's folder. Returns its owner, or null if there is no cluster yet.
 *
 * @throws EmbeddedPostgresError if there is something that this server cannot use
 */
export async function inspectCluster({ cluster }: PostgresPlace): Promise<FileOwner | null> {
  const folder = await stat(cluster).catch(ifMissing);
  if (folder === null) return null;
  if (!folder.isDirectory()) throw unusable(cluster, 'is not a folder');
  const uid = process.geteuid?.();
  if (uid !== 0 && uid !== folder.uid) throw ownedByAnother(cluster, folder.uid, uid);
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(ifMissing);
  if (version === null && (await readdir(cluster)).length === 0) return null;
  if (version === null) throw unusable(cluster, 'contains something that is not a PostgreSQL database');
  if (version.trim() !== POSTGRES_MAJOR) throw ofAnotherVersion(cluster, version.trim());
  return { uid: folder.uid, gid: folder.gid };
}

interface ClusterMaking {
  place: PostgresPlace;
  binaries: PostgresBinaries;
  privileges: PostgresPrivileges;
  watchdog: PostgresWatchdog;
  /** Inherited by child processes, which then count as processes of the cluster. */
  claimFd: number;
  /** False only if the caller does not need durability. */
  durable: boolean;
}

/**
 * Creates the cluster with its user and its database in a temporary folder, which is renamed when everything is on disk:
 * a cluster with its final name is complete, whenever the machine or this process dies.
 *
 * @throws EmbeddedPostgresError if initdb fails, with its last output
 */
export async function createCluster(making: ClusterMaking): Promise<void> {
  const { place, privileges } = making;
  const unfinished = `${place.unfinishedPrefix}${randomBytes(4).toString('hex')}`;
  await mkdir(unfinished, { mode: 0o700 });
  try {
    if (process.geteuid?.() === 0) await lchown(unfinished, privileges.uid, privileges.gid);
    await initialize(making, unfinished);
    await rename(unfinished, place.cluster);
    if (making.durable) await syncFolder(place.dataDir);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Removes what a killed start left incomplete. No process uses it: the caller has the cluster's claim. */
export async function removeUnfinishedClusters(place: PostgresPlace): Promise<void> {
  const prefix = basename(place.unfinishedPrefix);
  for (const name of await readdir(place.dataDir)) {
    if (name.startsWith(prefix)) await rm(join(place.dataDir, name), { recursive: true, force: true });
  }
}

/**
 * Changes the owner of the cluster's files to the user who runs it now. The folder itself is last, so that a start
 * that was killed in between begins again.
 */
export async function transferClusterOwnership(
  { cluster }: PostgresPlace,
  from: FileOwner,
  to: FileOwner,
): Promise<void> {
  if (from.uid === to.uid) return;
  for (const name of await readdir(cluster, { recursive: true })) await lchown(join(cluster, name), to.uid, to.gid);
  await lchown(cluster, to.uid, to.gid);
}

/**
 * A single-user server creates the database before any client can connect. Nothing is synced until all files exist, and
 * then everything once.
 */
async function initialize(making: ClusterMaking, folder: string): Promise<void> {
  const { initdb, postgres } = making.binaries;
  await runStep(making, initdb, ['-D', folder, ...INITDB_ARGUMENTS]);
  const quiet = ['-c', 'log_checkpoints=off', '-c', 'log_min_messages=warning', '-c', 'huge_pages=off'];
  const input = `CREATE DATABASE ${POSTGRES_DATABASE} STRATEGY FILE_COPY\n`;
  await runStep(making, postgres, ['--single', '-j', '-F', '-D', folder, ...quiet, 'template1'], { input });
  if (making.durable) await runStep(making, initdb, ['-D', folder, '--sync-only']);
}

const INITDB_ARGUMENTS = [
  `--username=${POSTGRES_USER}`,
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--set=huge_pages=off',
  '--no-instructions',
  '--no-sync',
];

/** initdb first reports every step; the error is at the end. */
const LAST_OUTPUT_LINES = 8;

async function runStep(making: ClusterMaking, program: string, args: string[], options?: ProgramOptions) {
  const result = await runProgram(making.privileges.call(program, args), {
    ...options,
    inheritedFd: making.claimFd,
    detached: true,
    onSpawn: (pid) => making.watchdog.guardInitdb(pid),
  });
  making.watchdog.guardNothing();
  const failed = result.code !== 0 || /^.*(ERROR|FATAL|PANIC): /m.test(result.output);
  if (!failed) return;
  const lastOutput = result.output.split('\n').slice(-LAST_OUTPUT_LINES).join('\n');
  throw describePostgresFailure(`The database could not be created in ${making.place.dataDir}`, lastOutput);
}

/** The rename changes the parent folder, which must be synced too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
}

function ifMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

function unusable(cluster: string, what: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${cluster} ${what}.`,
    `Move it to another place, choose another data directory with POSTRIDER_DATA_DIR, or ${USE_OWN_DATABASE}.`,
  );
}

function ownedByAnother(cluster: string, owner: number, uid: number | undefined): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database in ${cluster} belongs to user ${owner}, but Postrider runs as user ${uid}.`,
    `Start Postrider as user ${owner}, or stop it and change the owner of the whole data directory to user ${uid} with chown -R.`,
  );
}

function ofAnotherVersion(cluster: string, version: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database in ${cluster} was created by PostgreSQL ${version}, but this is PostgreSQL ${POSTGRES_MAJOR}.`,
    `Dump it with PostgreSQL ${version} and load the dump into a new data directory (or convert it with pg_upgrade), or ${USE_OWN_DATABASE}.`,
  );
}
