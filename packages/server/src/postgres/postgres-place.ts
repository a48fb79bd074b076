import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { explainPostgresFailure } from './postgres-failure.ts';

/** Reached through the socket in the folder `host` (port 5432 in its name) without a password, which is why that folder is private. */
export interface PostgresConnection {
  /** The socket's directory. */
  host: string;
  database: string;
  user: string;
}

/** Where one data directory's PostgreSQL has its things, and by which name its processes are known. */
export interface PostgresPlace {
  dataDir: string;
  cluster: string;
  /** Cluster folders in the making are named with this and something random behind it. */
  unfinishedPrefix: string;
  postmasterFile: string;
  processLock: string;
  logFile: string;
  /** Stands in the title of every process of the cluster, and differs from one data directory to the next. */
  clusterName: string;
}

export const POSTGRES_MAJOR = '18';
export const POSTGRES_USER = 'postrider';
export const POSTGRES_DATABASE = 'postrider';
/** Only part of the socket's name: nothing listens on TCP. */
export const POSTGRES_PORT = 5432;

/**
 * Makes the data directory if there is none, and says where things are in it.
 *
 * @throws EmbeddedPostgresError where it cannot be made
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
 * Says where things are in a data directory that exists. The real path counts, so that every way to spell it leads to
 * the same locks and the same name.
 *
 * @throws the system's error where it does not exist
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

/** How a client reaches the cluster whose socket lies in `host`. */
export function connectionTo(host: string): PostgresConnection {
  return { host, database: POSTGRES_DATABASE, user: POSTGRES_USER };
}
