import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { type DatabaseTarget, openDatabase, type Sql } from './db/client.ts';
import { classifyDatabaseError } from './db/database-errors.ts';
import { insertCaptured } from './db/queries/captured-messages.ts';
import { takeLeasesOf } from './db/queries/record-outcomes.ts';
import { readProcessIdentity } from './db/running-process.ts';
import { createCaptureTransport } from './delivery/capture.ts';
import { createDeliveryEngine, type DeliveryEngine } from './delivery/delivery-engine.ts';
import { createMessageBuilder } from './delivery/message-builder.ts';
import { createOutcomeRecorder, recordOutcomes } from './delivery/outcome-recorder.ts';
import { type LeftJournals, openReplyJournal, readLeftJournals } from './delivery/reply-journal.ts';
import { createSandboxTransport } from './delivery/sandbox.ts';
import { createSigningKeys } from './delivery/signing-keys.ts';
import { createSmtpRelayTransport } from './delivery/smtp-relay.ts';
import type { Transport } from './delivery/transport.ts';
import { createReadinessProbe } from './diagnostics/readiness.ts';
import { createMessageWaiter } from './events/message-waiter.ts';
import { addConsoleRoutes } from './http/console-routes.ts';
import { createHttpApp } from './http/create-http-app.ts';
import { addDevelopmentRoutes } from './http/development-routes.ts';
import { createMcpRoute } from './http/mcp-route.ts';
import { addReferenceRoutes } from './http/reference-routes.ts';
import { createRequestLog } from './http/request-log.ts';
import { addOperationRoutes } from './http/router.ts';
import { refuseForeignOrigins } from './http/trusted-origin.ts';
import { createPumpSignal } from './jobs/pump-signal.ts';
import { createTasks } from './jobs/tasks.ts';
import { type JobWorker, startJobWorker } from './jobs/worker.ts';
import { createKeyAuthenticator } from './keys/key-authenticator.ts';
import { createSecretBox } from './keys/secret-box.ts';
import type { Services } from './operations/context.ts';
import { BATCH_CONNECTIONS, createAcceptanceDoor, SINGLE_CONNECTIONS } from './sending/acceptance-door.ts';
import { OUTBOUND_ROUTE, SANDBOX_ROUTE } from './sending/plan-deliveries.ts';
import { createIdGenerator, isUuid } from './uuid-v7.ts';
import { VERSION } from './version.ts';
import { within } from './within.ts';

export interface AppOptions {
  readonly config: Config;
  readonly baseUrl: string;
  readonly target: DatabaseTarget;
  readonly logger: Logger;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

/** A running Postrider: whatever its roles ask for, on a migrated database. */
export interface App {
  /** Null without the role `api`. */
  readonly http: FastifyInstance | null;
  readonly services: Services;
  readonly sql: Sql;
  /** Null without the role `worker`, and before the start. */
  readonly engine: DeliveryEngine | null;
  /**
   * Listens, and only then begins to deliver: a port that is taken stops the start before any mail has left.
   * @throws what listening throws; nothing runs then, and `close` still has to be called.
   */
  start(address: { readonly host: string; readonly port: number }): Promise<void>;
  /** Drains: no new requests, running ones finish, leases are given back, logs are written. */
  close(): Promise<void>;
}

const API_CONNECTIONS = 6;
const DELIVERY_CONNECTIONS = 4;
const MAX_IN_FLIGHT = 400;
const TIMER_MS = 1_000;
const FLUSH_KEY_USE_MS = 5_000;
const DRAIN_MS = 6_000;
/** Requests under way get this long; then their connections are cut, since one that never ends must not stop the shutdown. */
const HTTP_DRAIN_MS = 3_000;
const OUTBOUND_DRAIN_MS = 1_000;

/** The composition root: every part is made here, and only here are they joined. Nothing runs before `start`. */
export function createApp(options: AppOptions): App {
  const { config, clock, logger, target, baseUrl } = options;
  const ids = createIdGenerator();
  const sql = openDatabase({ target, maxConnections: API_CONNECTIONS, applicationName: 'postrider-api' });
  const warn = (error: unknown, what: string) =>
    logger.warn({ error: error instanceof Error ? error.message : String(error) }, what);

  const waiter = createMessageWaiter(sql);
  const pumpSignal = createPumpSignal(sql, clock, (error) => warn(error, 'waking the queue'));
  // Single sends are written one group behind the other on one connection: two would wait for the same quota row, and halve the groups.
  const doorSql = openDatabase({
    target,
    maxConnections: SINGLE_CONNECTIONS,
    applicationName: 'postrider-door',
    keepPlans: true,
  });
  const batchSql = openDatabase({
    target,
    maxConnections: BATCH_CONNECTIONS,
    applicationName: 'postrider-batches',
    keepPlans: true,
  });
  const door = createAcceptanceDoor({
    sql: doorSql,
    batchSql,
    clock,
    ids,
    sandboxDomain: config.sandboxDomain,
    monthlyQuota: config.monthlyQuota,
    onAccepted: pumpSignal.wake,
  });
  const outbound = createOutbound(config, sql, clock);
  let worker: DeliveryWorker | null = null;
  const services: Services = {
    sql,
    clock,
    door,
    waiter,
    readiness: createReadinessProbe({ sql, transport: outbound, queueFault: () => worker?.jobs.fault() ?? null }),
    monthlyQuota: config.monthlyQuota,
    baseUrl,
    version: VERSION,
  };
  const api = config.roles.has('api') ? createApi(options, services, ids, sql, warn) : null;

  async function start(address: { readonly host: string; readonly port: number }): Promise<void> {
    await api?.http.listen(address);
    if (!config.roles.has('worker')) return;
    worker = await startDelivery(options, ids, outbound, (messages) => waiter.notify(messages), warn);
  }

  async function close(): Promise<void> {
    waiter.close();
    await api?.drain();
    await door.idle();
    pumpSignal.close();
    await worker?.stop();
    await within(OUTBOUND_DRAIN_MS, outbound.close());
    await api?.stop();
    await Promise.all([doorSql.end({ timeout: 2 }), batchSql.end({ timeout: 2 })]);
    await sql.end({ timeout: 2 });
  }

  return {
    http: api?.http ?? null,
    services,
    sql,
    get engine() {
      return worker?.engine ?? null;
    },
    start,
    close,
  };
}

function createOutbound(config: Config, sql: Sql, clock: Clock): Transport {
  if (config.transport.kind === 'relay') {
    return createSmtpRelayTransport({ relay: config.transport.relay, heloName: config.heloName });
  }
  return createCaptureTransport(async ({ accountId, deliveryId, messageId, mailFrom, recipients, data }) => {
    await insertCaptured(sql, {
      accountId,
      id: deliveryId,
      messageId,
      mailFrom,
      recipients,
      raw: data,
      now: clock.now(),
    });
  });
}

type Warn = (error: unknown, what: string) => void;
type Ids = ReturnType<typeof createIdGenerator>;

function createApi(options: AppOptions, services: Services, ids: Ids, sql: Sql, warn: Warn) {
  const { config, clock, logger, baseUrl } = options;
  // A connection of its own: the driver sends other queries down a connection that copies, which breaks both.
  const logSql = openDatabase({ target: options.target, maxConnections: 1, applicationName: 'postrider-log' });
  const requestLog = createRequestLog(logSql, clock, ids, (error) => warn(error, 'writing the request log'));
  const authenticator = createKeyAuthenticator(sql, clock);
  const http = createHttpApp({ baseUrl, trustedProxies: config.trustedProxies, logger, requestLog });
  const mcp = createMcpRoute({ services, logger });
  addOperationRoutes(http, { services, authenticator, rawRoutes: { 'service.mcp': mcp.handle } });
  addReferenceRoutes(http, baseUrl);
  if (config.mode === 'development') {
    http.register(async (development) => {
      development.addHook('onRequest', refuseForeignOrigins(baseUrl));
      addConsoleRoutes(development, sql);
      addDevelopmentRoutes(development, { tools: { sql, clock, ids }, sandboxDomain: config.sandboxDomain });
    });
  }
  const keyUse = setInterval(() => {
    authenticator.flushUse().catch((error: unknown) => warn(error, 'writing when keys were used'));
  }, FLUSH_KEY_USE_MS);
  const drain = async () => {
    const cut = setTimeout(() => http.server.closeAllConnections(), HTTP_DRAIN_MS);
    await http.close();
    clearTimeout(cut);
  };
  const stop = async () => {
    clearInterval(keyUse);
    await mcp.close();
    await requestLog.close();
    await logSql.end({ timeout: 1 });
    await authenticator.flushUse().catch(() => {});
  };
  return { http, drain, stop };
}

interface DeliveryWorker {
  readonly engine: DeliveryEngine;
  readonly jobs: JobWorker;
  stop(): Promise<void>;
}

async function startDelivery(
  options: AppOptions,
  ids: Ids,
  outbound: Transport,
  onRecorded: Parameters<typeof createOutcomeRecorder>[0]['onRecorded'],
  warn: Warn,
): Promise<DeliveryWorker> {
  const { config, clock, logger, target } = options;
  const sql = openDatabase({ target, maxConnections: DELIVERY_CONNECTIONS, applicationName: 'postrider-worker' });
  const folder = join(config.dataDir, 'journal');
  const recording = { sql, ids, onRecorded, onDueAt: (at: Date) => wakeAt(at) };
  // Nothing is to be woken yet: the first look of the timer finds what is due.
  await replayJournals(folder, { ...recording, onDueAt: () => undefined }, logger, clock.now());
  const leaseId = randomUUID();
  const processName = nameProcess(leaseId, await readProcessIdentity(process.pid));
  const journal = openReplyJournal(folder, processName);
  const recorder = createOutcomeRecorder({ ...recording, journal, onError: warn });
  const builder = createMessageBuilder(
    createSigningKeys(sql, createSecretBox(config.secretKey()), clock.now),
    clock.now,
  );
  const sandbox = createSandboxTransport(config.transport.kind === 'capture' ? outbound : null);
  const engine = createDeliveryEngine({
    sql,
    clock,
    builder,
    recorder,
    leaseId,
    transports: new Map([
      [OUTBOUND_ROUTE, outbound],
      [SANDBOX_ROUTE, sandbox],
    ]),
    random: options.random,
    maxInFlight: MAX_IN_FLIGHT,
    onError: warn,
  });
  const pump = () => engine.pump().catch((error: unknown) => warn(error, 'claiming deliveries'));
  const jobs = await startJobWorker({
    sql,
    target,
    tasks: createTasks({ sql, clock, engine, onError: warn }),
    clock,
    logger,
  });
  const timer = setInterval(() => void pump(), TIMER_MS);
  const soon = new Set<NodeJS.Timeout>();

  /** A retry that is due before the next look of the timer gets a look of its own. */
  function wakeAt(at: Date): void {
    const delayMs = at.getTime() - clock.now().getTime();
    if (delayMs >= TIMER_MS) return;
    const wake = setTimeout(
      () => {
        soon.delete(wake);
        void pump();
      },
      Math.max(0, delayMs),
    );
    soon.add(wake);
  }

  async function stop(): Promise<void> {
    clearInterval(timer);
    for (const wake of soon) clearTimeout(wake);
    await engine.stop(DRAIN_MS);
    await jobs.stop();
    journal.close();
    await sql.end({ timeout: 2 });
  }

  return { engine, jobs, stop };
}

/** Records what killed processes of this data directory had heard and not yet written down. */
async function replayJournals(
  folder: string,
  recording: Parameters<typeof recordOutcomes>[0],
  logger: Logger,
  now: Date,
): Promise<void> {
  const left = await readLeftJournals(folder, isSameProcess);
  if (left.outcomes.length > 0) {
    await recordLeft(recording, left.outcomes, logger);
    logger.info({ outcomes: left.outcomes.length }, 'recorded the outcomes a killed process had left');
  }
  const leaseIds = left.processNames.map(leaseIdOf).filter(isUuid);
  if (leaseIds.length > 0) await takeLeasesOf(recording.sql, leaseIds, now);
  left.forget();
}

/** An outcome that the database refuses must not stop every start to come: it is told and left, and its delivery is tried again. */
async function recordLeft(
  recording: Parameters<typeof recordOutcomes>[0],
  outcomes: LeftJournals['outcomes'],
  logger: Logger,
): Promise<void> {
  for (const outcome of outcomes) {
    await recordOutcomes(recording, [outcome]).catch((error: unknown) => {
      if (classifyDatabaseError(error) !== 'data') throw error;
      logger.error({ messageId: outcome.messageId, error: String(error) }, 'a left outcome could not be recorded');
    });
  }
}

/** The name of a process: its number, the lease id of its deliveries, and what tells it from others of its number. */
function nameProcess(leaseId: string, identity: string | null): string {
  return `${process.pid}.${leaseId}.${encodeIdentity(identity)}`;
}

function leaseIdOf(processName: string): string {
  return processName.split('.')[1] ?? '';
}

/** A journal belongs to a running process only if that process is the very one, and not another with its number. */
async function isSameProcess(processName: string): Promise<boolean> {
  const [pid = '', , identity = ''] = processName.split('.');
  const running = await readProcessIdentity(Number(pid));
  return running !== null && encodeIdentity(running) === identity;
}

function encodeIdentity(identity: string | null): string {
  return Buffer.from(identity ?? '').toString('hex');
}
