import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createClientCounter } from '../keys/client-rate-limit.ts';
import type { PostgresConnection } from '../postgres/postgres-place.ts';
import { closeConnectionsInTransit } from './connections-in-transit.ts';
import type { ConnectionFacts } from './process-count.ts';
import { type Instruction, type ProcessOrders, type Report, toError } from './process-messages.ts';
import { restartDelayMs, STEADY_MS } from './restart-policy.ts';
import { StartError } from './start-error.ts';

export interface FleetOptions {
  readonly roles: Config['roles'];
  /** How many processes are wanted. */
  readonly processes: number;
  readonly logger: Logger;
  /** Called after each start of a process. */
  readonly onStarted: () => void;
  /** Called with the last error if no process can be kept running. */
  readonly onHopeless: (error: unknown) => void;
}

/** The processes of a server. A process that dies is restarted. */
export interface ProcessFleet {
  /** Starts the first process, so that it loads the program while the caller prepares the rest. */
  begin(): void;
  /** Has the first process bring the database up to date. Rejects with its error. */
  prepare(embedded: PostgresConnection | null): Promise<ConnectionFacts>;
  /** Starts the other processes, and has all of them serve. Rejects with the first error. */
  serve(orders: Omit<ProcessOrders, 'process'>): Promise<void>;
  /** Collects the metrics of every process, and those of the installation. */
  measure(): Promise<{ readonly pages: readonly string[]; readonly installation: string }>;
  pids(): readonly number[];
  ready(): number;
  restarts(): number;
  /** Stops all processes cleanly. Resolves with whether all of them stopped cleanly. */
  stop(): Promise<boolean>;
  kill(): void;
}

interface Member {
  readonly process: number;
  readonly worker: Worker;
  readonly ended: Promise<void>;
  readonly startedMs: number;
  isLoaded: boolean;
  isReady: boolean;
  error: Error | null;
}

interface Place {
  member: Member | null;
  deaths: number;
  failedStarts: number;
}

const MEASURE_WITHIN_MS = 2_000;

/** Each process is a worker of node:cluster, which distributes the connections of the shared ports in round-robin order. */
export function createProcessFleet(options: FleetOptions): ProcessFleet {
  const { roles, processes, logger } = options;
  const places = new Map<number, Place>();
  const clients = createClientCounter(systemClock);
  const prepared = Promise.withResolvers<ConnectionFacts>();
  const served = Promise.withResolvers<void>();
  const measuring = new Map<number, (report: Extract<Report, { kind: 'measured' }>) => void>();
  let task: Instruction | null = null;
  let orders: Omit<ProcessOrders, 'process'> | null = null;
  let isUp = false;
  let isStopping = false;
  let isClean = true;
  let restarts = 0;
  let lastMeasure = 0;
  // Each is awaited only in its step of the start.
  prepared.promise.catch(() => undefined);
  served.promise.catch(() => undefined);

  const members = () => [...places.values()].flatMap(({ member }) => member ?? []);
  const readyMembers = () => members().filter(({ isReady }) => isReady);

  function launch(process: number): void {
    const place = places.get(process) ?? { member: null, deaths: 0, failedStarts: 0 };
    places.set(process, place);
    const startedMs = performance.now();
    let worker: Worker;
    try {
      worker = fork();
    } catch (error) {
      // Memory ran out.
      end(place, { process, startedMs, isReady: false, error: notStarted(process, error) }, 'not started');
      return;
    }
    closeConnectionsInTransit(worker.process);
    const ended = Promise.withResolvers<void>();
    const member: Member = {
      ...{ process, worker, ended: ended.promise, startedMs, isLoaded: false, isReady: false, error: null },
    };
    place.member = member;
    const leave = (isCleanEnd: boolean, how: string) => {
      if (place.member !== member) return;
      place.member = null;
      isClean &&= isCleanEnd;
      ended.resolve();
      if (!isStopping) end(place, member, how);
    };
    worker.on('message', (report: Report) => receive(member, report));
    worker.process.on('error', (error) => {
      if (worker.process.pid !== undefined) {
        logger.debug({ error: error.message, process }, 'a message to a process failed');
        return;
      }
      // The system had no process or no file descriptor for it: no `exit` follows.
      member.error = notStarted(process, error);
      leave(true, 'not started');
    });
    // The worker emits the errors of its process again.
    worker.on('error', () => undefined);
    worker.process.once('exit', (code, signal) => leave(code === 0, signal ?? `code ${code}`));
    options.onStarted();
  }

  function fork(): Worker {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ args: ['serve'] });
    // The worker reads only the environment: it gets the values of the flags, and the chosen number of processes.
    return cluster.fork({ POSTRIDER_ROLES: [...roles].join(','), POSTRIDER_PROCESSES: String(processes) });
  }

  function tell(member: Member, instruction: Instruction): void {
    if (member.worker.isConnected()) member.worker.send(instruction);
  }

  function instruct(member: Member): void {
    if (!member.isLoaded || isStopping) return;
    if (orders !== null) tell(member, { kind: 'serve', orders: { ...orders, process: member.process } });
    else if (task !== null) tell(member, task);
  }

  function receive(member: Member, report: Report): void {
    switch (report.kind) {
      case 'loaded':
        member.isLoaded = true;
        instruct(member);
        return;
      case 'prepared':
        prepared.resolve(report.connections);
        return;
      case 'ready':
        member.isReady = true;
        if (readyMembers().length === places.size) served.resolve();
        return;
      case 'failed':
        member.error = toError(report.failure);
        return;
      case 'count': {
        const taken = clients.take(report.count, report.address, report.requests);
        return void Promise.resolve(taken).then((retryAfterSeconds) =>
          tell(member, { kind: 'counted', id: report.id, retryAfterSeconds }),
        );
      }
      case 'measured':
        measuring.get(report.id)?.(report);
    }
  }

  /** A process has ended unexpectedly, or could not be started. */
  function end(place: Place, member: Pick<Member, 'process' | 'startedMs' | 'isReady' | 'error'>, how: string): void {
    const error = member.error ?? endedEarly(member.process, how);
    if (!isUp) {
      prepared.reject(error);
      served.reject(error);
      return;
    }
    const isSteady = member.isReady && performance.now() - member.startedMs > STEADY_MS;
    place.deaths = isSteady ? 1 : place.deaths + 1;
    place.failedStarts = member.isReady ? 0 : place.failedStarts + 1;
    const delayMs = restartDelayMs({ ...place, isAnotherReady: readyMembers().length > 0 });
    if (delayMs === null) {
      options.onHopeless(error);
      return;
    }
    const reason = member.error?.message ?? how;
    logger.error({ process: member.process, reason, delayMs }, 'a process ended and is restarted');
    restarts += 1;
    setTimeout(() => {
      if (!isStopping) launch(member.process);
    }, delayMs);
  }

  async function measureOne(member: Member, isInstallation: boolean) {
    lastMeasure += 1;
    const id = lastMeasure;
    const { promise, resolve } = Promise.withResolvers<{ readonly page: string; readonly installation: string }>();
    measuring.set(id, resolve);
    const late = setTimeout(() => resolve({ page: '', installation: '' }), MEASURE_WITHIN_MS);
    tell(member, { kind: 'measure', id, isInstallation });
    const measured = await promise;
    clearTimeout(late);
    measuring.delete(id);
    return measured;
  }

  return {
    begin: () => launch(1),
    prepare(embedded) {
      task = { kind: 'prepare', embedded };
      for (const member of members()) instruct(member);
      return prepared.promise;
    },
    async serve(all) {
      orders = all;
      for (const member of members()) instruct(member);
      for (let process = 2; process <= all.processes; process += 1) launch(process);
      await served.promise;
      isUp = true;
    },
    async measure() {
      const measured = await Promise.all(readyMembers().map((member, index) => measureOne(member, index === 0)));
      return { pages: measured.map(({ page }) => page), installation: measured[0]?.installation ?? '' };
    },
    pids: () => members().flatMap(({ worker: { process: child } }) => child.pid ?? []),
    ready: () => readyMembers().length,
    restarts: () => restarts,
    async stop() {
      isStopping = true;
      const running = members();
      isClean = true;
      for (const member of running) {
        if (member.isLoaded) tell(member, { kind: 'stop' });
        else member.worker.process.kill('SIGKILL');
      }
      await Promise.all(running.map(({ ended }) => ended));
      return isClean || running.some(({ isLoaded }) => !isLoaded);
    },
    kill() {
      for (const { worker } of members()) worker.process.kill('SIGKILL');
    },
  };
}

function notStarted(process: number, error: unknown): StartError {
  return new StartError(
    `Process ${process} of the server could not be started: ${error instanceof Error ? error.message : String(error)}.`,
    'Raise the limits on processes, open files and memory of the server, or set POSTRIDER_PROCESSES to a lower number.',
  );
}

function endedEarly(process: number, how: string): StartError {
  return new StartError(
    `Process ${process} of the server ended before it was ready (${how}).`,
    'See the messages above. If there are none, the system may have killed it because memory ran out: set POSTRIDER_PROCESSES to a lower number.',
  );
}
