import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { describePostgresFailure } from './postgres-failure.ts';
import { openPostgresLog, type PostgresLog } from './postgres-log.ts';
import type { PostgresPlace } from './postgres-place.ts';
import type { PostgresPrivileges } from './postgres-privileges.ts';
import { claimCluster } from './postgres-processes.ts';
import { postgresArguments } from './postgres-settings.ts';
import { makePrivate, removeStaleSocket } from './postgres-socket-directory.ts';
import type { PostgresWatchdog } from './postgres-watchdog.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { PROGRAM_ENVIRONMENT } from './run-program.ts';

/** Everything needed to start the server, now and later. */
export interface ServerPlan {
  place: PostgresPlace;
  binaries: PostgresBinaries;
  privileges: PostgresPrivileges;
  watchdog: PostgresWatchdog;
  socketDirectory: string;
  settings: Readonly<Record<string, string>>;
  onProgress: (text: string) => void;
}

export interface PostgresServer {
  /** Settles when the server has ended for any reason, and returns the reason. */
  readonly exited: Promise<string>;
  /** A fast shutdown; an immediate one after 10 s. */
  stop(): Promise<void>;
}

const FAST_STOP_MS = 10_000;
const IMMEDIATE_STOP_MS = 5_000;
const READY_POLL_MS = 10;
const SLOW_START_MS = 10_000;

/**
 * Starts the server on an existing cluster and waits until it accepts connections, however long recovery takes.
 *
 * @throws EmbeddedPostgresError if it does not start, with the end of its log; the signal's reason if aborted
 */
export async function launchServer(plan: ServerPlan, signal: AbortSignal): Promise<PostgresServer> {
  const { place } = plan;
  const claim = await claimCluster(place, signal);
  let log: PostgresLog | undefined;
  try {
    // While we have the claim, no process of the cluster runs: a file that names a running server is stale.
    await rm(place.postmasterFile, { force: true });
    await makePrivate(plan.socketDirectory, plan.privileges);
    await removeStaleSocket(plan.socketDirectory);
    log = await openPostgresLog(place.logFile);
    const { child, server } = spawnServer(plan, log.fd, claim.fd);
    await waitUntilReady(plan, child, server, log, signal);
    return server;
  } finally {
    log?.close();
    claim.release();
  }
}

function spawnServer(
  plan: ServerPlan,
  logFd: number,
  claimFd: number,
): { child: ChildProcess; server: PostgresServer } {
  const { place, binaries, privileges, watchdog } = plan;
  const call = privileges.call(binaries.postgres, postgresArguments(place, plan.socketDirectory, plan.settings));
  watchdog.guardServer();
  const child = spawn(call.command, call.args, {
    cwd: '/',
    env: PROGRAM_ENVIRONMENT,
    // A separate session: Ctrl-C in the terminal is for the owner, which stops the server after draining.
    detached: true,
    stdio: ['ignore', logFd, logFd, claimFd],
    ...(call.uid === undefined ? {} : { uid: call.uid }),
    ...(call.gid === undefined ? {} : { gid: call.gid }),
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`PostgreSQL could not be started (${error.message})`));
    child.once('exit', (code, by) =>
      resolve(by === null ? `PostgreSQL exited with code ${code}` : `PostgreSQL was killed by ${by}`),
    );
  }).finally(() => watchdog.guardNothing());
  return { child, server: { exited, stop: () => stopServer(child, exited) } };
}

async function waitUntilReady(
  { place, onProgress }: ServerPlan,
  child: ChildProcess,
  server: PostgresServer,
  log: PostgresLog,
  signal: AbortSignal,
): Promise<void> {
  let reason: string | null = null;
  server.exited.then((text) => {
    reason = text;
  });
  const slowAtMs = performance.now() + SLOW_START_MS;
  let announced = false;
  for (;;) {
    if (reason !== null) throw describePostgresFailure(`${reason} before it was ready`, await log.readTail());
    const file = await readPostmasterFile(place.postmasterFile);
    if (file?.pid === child.pid && file?.ready === true) return;
    if (signal.aborted) {
      await server.stop();
      throw signal.reason;
    }
    if (!announced && performance.now() > slowAtMs) onProgress('PostgreSQL is recovering from an unclean shutdown');
    announced ||= performance.now() > slowAtMs;
    await pause(READY_POLL_MS);
  }
}

async function stopServer(child: ChildProcess, exited: Promise<string>): Promise<void> {
  child.kill('SIGINT');
  if (await endsWithin(exited, FAST_STOP_MS)) return;
  child.kill('SIGQUIT');
  if (await endsWithin(exited, IMMEDIATE_STOP_MS)) return;
  child.kill('SIGKILL');
  await exited;
}

async function endsWithin(exited: Promise<string>, limitMs: number): Promise<boolean> {
  const timer = new AbortController();
  const late = pause(limitMs, false, { signal: timer.signal }).catch(() => false);
  const ended = await Promise.race([exited.then(() => true), late]);
  timer.abort();
  return ended;
}
