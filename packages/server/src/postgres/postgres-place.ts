import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { explainPostgresFailure } from './postgres-failure.ts';

/**
 * Clients connect through the socket in the folder `host` (with port 5432 in its name) without a password, which is why
 * that folder is private.
 */
export interface PostgresConnection {
  /** The socket's directory. */
  host: string;
  database: string;
  user: string;
}

/** The paths of one data directory's PostgreSQL, and the name that identifies its processes. */
export interface PostgresPlace {
  dataDir: string;
  cluster: string;
  /** Temporary cluster folders have this name and a random suffix. */
  unfinishedPrefix: string;
  postmasterFile: string;
  processLock: string;
  logFile: string;
  /** Part of the title of every process of the cluster, and different for each data directory. */
  clusterName: string;
}

export const POSTGRES_MAJOR = '18';
export const POSTGRES_USER = 'postrider';
export const POSTGRES_DATABASE = 'postrider';
/** Only part of the socket's name: nothing listens on TCP. */
export const POSTGRES_PORT = 5432;

/**
 * Creates the data directory if needed, and returns its paths.
 *
 * @throws EmbeddedPostgresError if it cannot be created
 */
export async function openPostgresPlace(dataDir: string): Promise<PostgresPlace> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return await findPostgresPlace(dataDir);
  } catch (error) {
    throw explainPostgresFailure(`The data directory ${dataDir} cannot be used`, error);
  }
}

/**
 * Returns the paths of an existing data directory. It uses the real path, so that every spelling leads to the same locks
 * and the same name.
 *
 * @throws the system's error if it does not exist
 */
export async function findPostgresPlace(path: string): Promise<PostgresPlace> {
  const dataDir = await realpath(path);
  const cluster = join(dataDir, 'postgres');
  return {
    dataDir,
    cluster,
    unfinishedPrefix: `${cluster}.new-`,
    postmasterFile: join(cluster, 'postmaster.pid'),
    processLock: join(dataDir, 'postgres.lock'),
    logFile: join(dataDir, 'postgres.log'),
    clusterName: `postrider-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`,
  };
}

/** The connection settings for the cluster whose socket is in `host`. */
export function connectionTo(host: string): PostgresConnection {
  return { host, database: POSTGRES_DATABASE, user: POSTGRES_USER };
}
