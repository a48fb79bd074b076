/** What decides how many processes a server has. */
export interface MachineFacts {
  readonly processors: number;
  readonly memoryBytes: number;
}

const MEGABYTE = 1024 * 1024;
/** A process uses up to 315 MB under load (`pnpm bench processes`). The rest is for its database connections. */
const PROCESS_MB = 400;
/** The supervisor, and the shared memory of the embedded PostgreSQL. */
const OTHERS_MB = 512;
/** For operator commands, `pg_dump` and the database's own work. */
const SPARE_CONNECTIONS = 5;
const MOST = 64;

/** Returns the setting. Without one, returns one process for each processor, or fewer if there is not enough memory. */
export function chooseProcesses(setting: number | null, { processors, memoryBytes }: MachineFacts): number {
  if (setting !== null) return setting;
  const fitting = Math.floor((memoryBytes / MEGABYTE - OTHERS_MB) / PROCESS_MB);
  return Math.max(1, Math.min(processors, fitting, MOST));
}

/** How many connections a database allows to its user, and how many of them are open. */
export interface ConnectionFacts {
  readonly allowed: number;
  readonly used: number;
}

/** How many processes the database has connections for; at least one. */
export function processesWithin({ allowed, used }: ConnectionFacts, perProcess: number): number {
  return Math.max(1, Math.floor((allowed - used - SPARE_CONNECTIONS) / perProcess));
}

/** How many connections the embedded PostgreSQL must allow. */
export function connectionsNeeded(processes: number, perProcess: number): number {
  return processes * perProcess + 2 * SPARE_CONNECTIONS;
}

export function tooFewConnections({ allowed, used }: ConnectionFacts, wanted: number, perProcess: number): string {
  return `The database allows ${allowed} connections, and other programs use ${used} of them. ${wanted} processes need up to ${perProcess} connections each.`;
}

export const MORE_CONNECTIONS_FIX =
  'Raise max_connections of the database (or the connection limit of its user), or set POSTRIDER_PROCESSES to a lower number.';
