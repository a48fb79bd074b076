import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { type App, createApp } from '../app.ts';
import { systemClock } from '../clock.ts';
import { type Config, readConfig } from '../config.ts';
import { type DatabaseTarget, type Sql, toDatabaseTarget } from '../db/client.ts';
import { connectionsOf } from '../db/connection-counts.ts';
import { readConnectionFacts } from '../db/queries/connection-facts.ts';
import { dividedAmong } from './divided-limits.ts';
import { introduce } from './introduce.ts';
import { type OpenDatabase, prepareDatabase } from './prepared-database.ts';
import { type ConnectionFacts, processesWithin } from './process-count.ts';
import { type Instruction, type ProcessOrders, type Report, toFailure } from './process-messages.ts';
import { createRemoteCounter, type RemoteCounter } from './remote-counter.ts';
import { createStartOutput, type StartOutput } from './start-output.ts';
import { stopOnSignals } from './stop-on-signals.ts';

/** Runs one of the processes of a server. It follows the instructions of its supervisor, and ends cleanly if the supervisor ends. */
export function runSupervisedProcess(environment: NodeJS.ProcessEnv): void {
  const verdict = readConfig(environment);
  // The supervisor has read the same settings.
  if (!verdict.ok) throw new Error('The settings changed during the start.');
  const { config } = verdict;
  const output = createStartOutput(config, true);
  const clients = createRemoteCounter(systemClock, (count) => void report(count));
  let database: OpenDatabase | null = null;
  let app: App | null = null;
  // Otherwise Node exits as soon as the supervisor is gone, in the middle of the work.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  const { stop, stopAndExit } = stopOnSignals({
    watchesParents: false,
    stop: async () => {
      try {
        await app?.close();
      } finally {
        await database?.close();
      }
      return 0;
    },
  });

  async function fail(error: unknown): Promise<void> {
    await stop().catch(() => undefined);
    await report({ kind: 'failed', failure: toFailure(error) });
    process.exit(1);
  }

  async function prepare(embedded: ProcessOrders['embedded']): Promise<void> {
    database = await prepareDatabase(config, targetOf(config, embedded), output.hooks);
    await report({ kind: 'prepared', connections: await awaitConnections(config, database.sql) });
  }

  async function serve(orders: ProcessOrders): Promise<void> {
    app = startApp(config, orders, output, clients);
    await app.start({ host: config.host, port: orders.port });
    if (database !== null && config.mode === 'development' && app.http !== null)
      await introduce(app, config, orders.baseUrl, database, output.say);
    await database?.close();
    database = null;
    await report({ kind: 'ready' });
  }

  process.once('disconnect', stopAndExit);
  process.on('message', (message) => {
    const instruction = message as Instruction; // Sent only by the supervisor.
    if (instruction.kind === 'prepare') prepare(instruction.embedded).catch(fail);
    else if (instruction.kind === 'serve') serve(instruction.orders).catch(fail);
    else if (instruction.kind === 'counted') clients.settle(instruction.id, instruction.retryAfterSeconds);
    else if (instruction.kind === 'measure') void measure(app, instruction).then(report);
    else stopAndExit();
  });
  void report({ kind: 'loaded' });
}

/** A server on this machine that was just killed still has connections until its processes have ended. */
const LEFTOVERS_MS = 15_000;
const LOOK_EVERY_MS = 500;

async function awaitConnections({ processes, roles }: Config, sql: Sql): Promise<ConnectionFacts> {
  const deadlineMs = performance.now() + LEFTOVERS_MS;
  for (;;) {
    const facts = await readConnectionFacts(sql);
    const isEnough = processesWithin(facts, connectionsOf(roles)) >= (processes ?? 1);
    if (isEnough || facts.neighbors === 0 || performance.now() > deadlineMs) return facts;
    await pause(LOOK_EVERY_MS);
  }
}

function startApp(config: Config, orders: ProcessOrders, { logger }: StartOutput, clients: RemoteCounter): App {
  const { process: number, processes, baseUrl, embedded } = orders;
  return createApp({
    config: dividedAmong(processes, config),
    ...{ baseUrl, logger, processes, target: targetOf(config, embedded) },
    supervision: { process: number, clients },
    clock: systemClock,
    random: Math.random,
  });
}

function targetOf({ databaseUrl }: Config, embedded: ProcessOrders['embedded']): DatabaseTarget {
  return embedded === null ? toDatabaseTarget(databaseUrl ?? '') : { kind: 'socket', ...embedded };
}

async function measure(
  app: App | null,
  { id, isInstallation }: Extract<Instruction, { kind: 'measure' }>,
): Promise<Report> {
  const page = (await app?.metrics?.renderProcess().catch(() => '')) ?? '';
  const installation = isInstallation ? await app?.metrics?.renderInstallation().catch(() => '') : '';
  return { kind: 'measured', id, page, installation: installation ?? '' };
}

/** Resolves when the message is sent. Does nothing if the supervisor is gone. */
async function report(message: Report): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.send === undefined || !process.connected) return resolve();
    process.send(message, undefined, {}, () => resolve());
  });
}
