import { memoryBytes } from './machine-memory.ts';
import { POSTGRES_PORT, type PostgresPlace } from './postgres-place.ts';

const MEGABYTE = 1024 * 1024;

/** The server's settings as arguments. On the command line, no file from an earlier run can override them. */
export function postgresArguments(
  place: PostgresPlace,
  socketDirectory: string,
  extra: Readonly<Record<string, string>>,
): string[] {
  const memoryMb = memoryBytes() / MEGABYTE;
  const settings = {
    ...REACH,
    ...DURABILITY,
    ...TUNING,
    ...LOGGING,
    unix_socket_directories: socketDirectory,
    cluster_name: place.clusterName,
    shared_buffers: `${clamp(memoryMb / 8, 128, 512)}MB`,
    effective_cache_size: `${clamp(memoryMb / 2, 256, 4096)}MB`,
    ...extra,
  };
  return ['-D', place.cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Local only: users with access to the socket's folder may connect, and no one else can. */
const REACH = { listen_addresses: '', port: String(POSTGRES_PORT), unix_socket_permissions: '0700' };

/** PostgreSQL's own defaults, pinned: an accepted message is on disk. */
const DURABILITY = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };

/**
 * For one service with many small transactions on a small machine. Checkpoints are spread out, because after each of
 * them the WAL contains full pages again. No query here benefits from JIT or parallel workers (which also need /dev/shm,
 * small in containers). Huge pages kill the server in containers that limit them.
 */
const TUNING = {
  max_connections: '100',
  wal_buffers: '16MB',
  min_wal_size: '128MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  random_page_cost: '1.1',
  autovacuum_naptime: '20s',
  huge_pages: 'off',
  timezone: 'UTC',
};

/** Statements and their values contain addresses and message texts, so they are not logged. */
const LOGGING = {
  log_destination: 'stderr',
  logging_collector: 'off',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

function clamp(value: number, lowest: number, highest: number): number {
  return Math.round(Math.min(Math.max(value, lowest), highest));
}
