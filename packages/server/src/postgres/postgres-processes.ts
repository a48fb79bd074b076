import { closeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedPostgresError, USE_OWN_DATABASE } from './embedded-postgres-error.ts';
import { tryFileLock } from './file-lock.ts';
import type { PostgresPlace } from './postgres-place.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { listRunningProcesses, type RunningProcess, readRunningProcess, signalProcess } from './running-process.ts';

/** The right to start a process on the cluster. Every such process inherits `fd` as its descriptor 3. */
interface ClusterClaim {
  fd: number;
  release(): void;
}

interface StopStep {
  afterMs: number;
  signal: NodeJS.Signals;
  /** Whether to signal only the first process, which stops the others cleanly, or every one. */
  to: 'leader' | 'all';
}

/** For a server whose owner died: a fast shutdown, then an immediate one, then SIGKILL. */
const WITH_LEADER: readonly StopStep[] = [
  { afterMs: 0, signal: 'SIGINT', to: 'leader' },
  { afterMs: 10_000, signal: 'SIGQUIT', to: 'all' },
  { afterMs: 15_000, signal: 'SIGKILL', to: 'all' },
];

/** Children of a killed server exit when they next wait for something, but a long query may never wait. */
const WITHOUT_LEADER: readonly StopStep[] = [
  { afterMs: 500, signal: 'SIGQUIT', to: 'all' },
  { afterMs: 5_000, signal: 'SIGKILL', to: 'all' },
];

const GIVE_UP_MS = 20_000;
const POLL_MS = 20;

/**
 * Stops what an earlier owner left running, waits until no process of the cluster is left, and claims the cluster. The lock is inherited by
 * child processes, so it shows what a process id cannot: that no process has the cluster's files or shared memory open.
 * @throws EmbeddedPostgresError if a process that cannot be stopped from here still uses it
 */
export async function claimCluster(place: PostgresPlace, signal?: AbortSignal): Promise<ClusterClaim> {
  const startedAtMs = performance.now();
  let steps: readonly StopStep[] | null = null;
  for (;;) {
    signal?.throwIfAborted();
    const claim = await tryClaim(place);
    if (claim !== null) return claim;
    steps ??= (await findLeader(place)) === null ? WITHOUT_LEADER : WITH_LEADER;
    const waitedMs = performance.now() - startedAtMs;
    if (waitedMs > GIVE_UP_MS) throw await stillInUse(place);
    steps = await takeDueSteps(place, steps, waitedMs);
    await pause(POLL_MS);
  }
}

async function tryClaim(place: PostgresPlace): Promise<ClusterClaim | null> {
  const attempt = await tryFileLock(place.processLock);
  if (attempt.state === 'busy') return null;
  // The server may also have been started manually, without the lock.
  const inUse = (await findServer(place)) !== null || (!attempt.enforced && (await listCluster(place)).length > 0);
  const release = () => closeSync(attempt.fd);
  if (!inUse) return { fd: attempt.fd, release };
  release();
  return null;
}

async function takeDueSteps(
  place: PostgresPlace,
  steps: readonly StopStep[],
  waitedMs: number,
): Promise<readonly StopStep[]> {
  for (const step of steps.filter(({ afterMs }) => afterMs <= waitedMs)) {
    const targets = step.to === 'all' ? await listCluster(place) : [await findLeader(place)];
    for (const target of targets) if (target !== null) signalProcess(target.pid, step.signal);
  }
  return steps.filter(({ afterMs }) => afterMs > waitedMs);
}

/** The server named in postmaster.pid, if it is one: after a reboot the process id may belong to any process. */
export async function findServer(place: PostgresPlace): Promise<RunningProcess | null> {
  const file = await readPostmasterFile(place.postmasterFile);
  const running = file === null ? null : await readRunningProcess(file.pid);
  return running !== null && belongsTo(running, place) ? running : null;
}

/** The server, or else an initdb that is creating a new cluster. */
async function findLeader(place: PostgresPlace): Promise<RunningProcess | null> {
  const server = await findServer(place);
  return server ?? (await listCluster(place)).find(({ command }) => isInitdb(command, place)) ?? null;
}

async function listCluster(place: PostgresPlace): Promise<RunningProcess[]> {
  return (await listRunningProcesses()).filter((running) => belongsTo(running, place));
}

function belongsTo({ command, folder }: RunningProcess, place: PostgresPlace): boolean {
  if (command.startsWith(`postgres: ${place.clusterName}: `) || isInitdb(command, place)) return true;
  const runsPostgres = /(^|[ /])postgres(:| |$)/.test(command);
  return runsPostgres && (folder === place.cluster || `${command} `.includes(` -D ${place.cluster} `));
}

function isInitdb(command: string, place: PostgresPlace): boolean {
  return command.includes(` -D ${place.unfinishedPrefix}`);
}

async function stillInUse(place: PostgresPlace): Promise<EmbeddedPostgresError> {
  const pids = (await listCluster(place)).map(({ pid }) => pid);
  const who =
    pids.length === 0
      ? 'a process that is not visible here, perhaps in another container'
      : `process ${pids.join(', ')}`;
  return new EmbeddedPostgresError(
    `An earlier PostgreSQL still uses ${place.cluster} and does not stop: ${who}.`,
    `Stop it and start again, or ${USE_OWN_DATABASE}.`,
  );
}
