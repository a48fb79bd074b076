import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ApprovalMailer } from '../approvals/approval-mail.ts';
import { createApprovalJobs } from '../approvals/run-approval-jobs.ts';
import type { Installation } from '../config/installation.ts';
import { createPlanRenewal, type Sql } from '../db/client.ts';
import { CONNECTIONS } from '../db/connection-counts.ts';
import type { DatabasePools } from '../db/database-pools.ts';
import { readAttachments } from '../db/queries/message-attachments.ts';
import { createDeliveryEngine, type DeliveryEngine } from '../delivery/delivery-engine.ts';
import { createMessageBuilder } from '../delivery/message-builder.ts';
import { createMessageMaker } from '../delivery/message-maker.ts';
import { nameProcess, replayJournals } from '../delivery/orphaned-outcomes.ts';
import { createOutcomeRecorder } from '../delivery/outcome-recorder.ts';
import { recordUnapproved } from '../delivery/record-unapproved.ts';
import { openReplyJournal } from '../delivery/reply-journal.ts';
import { createSandboxTransport } from '../delivery/sandbox.ts';
import { createSigningKeys } from '../delivery/signing-keys.ts';
import { createSimulatedTransport } from '../delivery/simulated.ts';
import { runWatchdog, type WatchdogOptions } from '../delivery/watchdog.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { createReturnPaths } from '../inbound/return-path.ts';
import { createMessageCounter } from '../jobs/message-counter.ts';
import { createSearchFiller } from '../jobs/search-filler.ts';
import { createTasks } from '../jobs/tasks.ts';
import { type JobWorker, startJobWorker } from '../jobs/worker.ts';
import { openBody } from '../keys/sealed-body.ts';
import { createInstallationBox } from '../keys/secret-box.ts';
import { createTrackingUrls } from '../links/tracked-body.ts';
import { createTrackingTokens } from '../links/tracking-token.ts';
import { readProcessIdentity } from '../postgres/running-process.ts';
import { createReceipts } from '../receipts/receipts.ts';
import { expiryOf } from '../sending/message-rows.ts';
import { OUTBOUND_ROUTE, planDeliveries, SANDBOX_ROUTE, SIMULATED_ROUTE } from '../sending/plan-deliveries.ts';
import type { DomainChecker } from '../sending-domains/domain-checker.ts';
import type { Transport } from '../smtp-client/transport.ts';
import { hasUnsubscribePlaceholder } from '../unsubscribe/placeholder.ts';
import { createUnsubscribeLinks } from '../unsubscribe/unsubscribe-links.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { AppOptions } from './app-options.ts';

const MAX_IN_FLIGHT = 400;
/** Remote mail servers may each take half a minute to respond, so more of them are waited for at once. */
const MAX_IN_FLIGHT_DIRECT = 1_500;
const TIMER_MS = 1_000;
const DRAIN_MS = 6_000;

/** The `worker` role: everything that delivers, as one part. */
export interface DeliveryWorker {
  readonly engine: DeliveryEngine;
  readonly jobs: JobWorker;
  /** Checks for due deliveries at once. Returns false if this process cannot claim more now. */
  wake(): boolean;
  stop(): Promise<void>;
}

/** The dependencies of delivery: the shared options and the DNS resolver. */
export interface DeliveryOptions extends AppOptions {
  readonly dns: DnsResolver;
  readonly domains: DomainChecker;
  readonly installation: Installation;
}

/** Replays the outcomes of a killed process, then starts to deliver. */
export async function startDelivery(
  options: DeliveryOptions,
  pools: Pick<DatabasePools, 'work' | 'deliveries'>,
  ids: IdGenerator,
  outbound: Transport,
  onRecorded: Parameters<typeof createOutcomeRecorder>[0]['onRecorded'],
  warn: (error: unknown, what: string) => void,
): Promise<DeliveryWorker> {
  const { config, clock, logger, target, baseUrl } = options;
  const { work: sql, deliveries } = pools;
  const folder = join(config.dataDir, 'journal');
  const recording = { sql, ids, onRecorded, onDueAt: (at: Date) => wakeAt(at) };
  // There is nothing to wake yet: the first timer run finds what is due.
  await replayJournals(folder, { ...recording, onDueAt: () => undefined }, logger, clock.now());
  const leaseId = randomUUID();
  const processName = nameProcess(leaseId, await readProcessIdentity(process.pid));
  const journal = openReplyJournal(folder, processName, warn);
  const recorder = createOutcomeRecorder({ ...recording, sql: deliveries, journal, onError: warn });
  const secrets = createInstallationBox(config);
  const maker = createMessageMaker();
  const builder = createMessageBuilder(
    createSigningKeys(sql, secrets, clock.now),
    createUnsubscribeLinks({ baseUrl, secretKey: config.secretKey() }),
    createTrackingUrls(createTrackingTokens(config.secretKey()), baseUrl),
    (accountId, messageId) => readAttachments(sql, accountId, messageId),
    createReturnPaths(config.secretKey()).addressFor,
    (stored) => openBody(secrets, stored),
    clock.now,
    maker,
    createReceipts({ sql, box: secrets, clock, ids }).read,
  );
  const sandbox = createSandboxTransport(config.transport.kind === 'capture' ? outbound : null);
  const engine = createDeliveryEngine({
    sql,
    claimSql: deliveries,
    renewPlans: createPlanRenewal(deliveries, CONNECTIONS.deliveries),
    clock,
    builder,
    recorder,
    leaseId,
    transports: new Map([
      [OUTBOUND_ROUTE, outbound],
      [SANDBOX_ROUTE, sandbox],
      [SIMULATED_ROUTE, createSimulatedTransport()],
    ]),
    random: options.random,
    onUnapproved: (message) =>
      recordUnapproved({ sql, clock, ids, alarm: (facts, text) => logger.error(facts, text) }, message),
    maxInFlight: config.transport.kind === 'direct' ? MAX_IN_FLIGHT_DIRECT : MAX_IN_FLIGHT,
    onError: warn,
  });
  const pump = () => engine.pump().catch((error: unknown) => warn(error, 'claiming deliveries'));
  const watchdog = createWatchdog(options, recording);
  const jobs = await startJobWorker({
    sql,
    target,
    tasks: createTasks({
      ...{ sql, clock, ids, engine, domains: options.domains, watchdog },
      ...{ retention: options.installation.retention, monthlyQuota: options.installation.monthlyQuota, onError: warn },
      approvals: createApprovalJobs(createApprovalMailer(options, sql, ids, warn)),
    }),
    clock,
    logger,
  }).catch(async (error: unknown) => {
    await engine.stop(0);
    await maker.close();
    journal.close();
    throw error;
  });
  const filler = createSearchFiller({ sql, onError: warn });
  const counter = createMessageCounter({ sql, onError: warn });
  const timer = setInterval(() => {
    void pump();
    void filler.run();
    void counter.run();
  }, TIMER_MS);
  const soon = new Set<NodeJS.Timeout>();

  /** A retry that is due before the next timer run gets its own timer. */
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

  function wake(): boolean {
    if (!engine.hasRoom) return false;
    void pump();
    return true;
  }

  async function stop(): Promise<void> {
    clearInterval(timer);
    for (const wake of soon) clearTimeout(wake);
    await engine.stop(DRAIN_MS);
    await maker.close();
    await Promise.all([filler.stop(), counter.stop(), jobs.stop(), options.domains.stop()]);
    journal.close();
  }

  return { engine, jobs, wake, stop };
}

/** Mail to approvers is sent like all mail of the installation. */
function createApprovalMailer(
  { config, clock, installation }: DeliveryOptions,
  sql: Sql,
  ids: IdGenerator,
  onError: ApprovalMailer['onError'],
): ApprovalMailer {
  return { sql, clock, ids, secrets: createInstallationBox(config), ...installation, onError };
}

/** Plans like acceptance does, and logs each repair, because none should ever be needed. */
function createWatchdog(
  { installation, clock, logger }: DeliveryOptions,
  recording: WatchdogOptions['recording'],
): () => Promise<void> {
  const startedAtMs = performance.now();
  const { sandboxDomain, byDomain, retryHours } = installation;
  return async () => {
    const repaired = await runWatchdog({
      ...{ recording, clock },
      plan: ({ recipients, unsubscribe, html, text, isTest }) => {
        const isPersonal = unsubscribe || hasUnsubscribePlaceholder(html) || hasUnsubscribePlaceholder(text);
        return planDeliveries(recipients, sandboxDomain, isPersonal, byDomain, isTest);
      },
      expiryOf: (dueAt) => expiryOf(dueAt, retryHours),
      uptimeMs: () => performance.now() - startedAtMs,
      onError: (error, what) => logger.error({ error: error instanceof Error ? error.stack : String(error) }, what),
    });
    if (Object.values(repaired).some((n) => n > 0)) logger.warn(repaired, 'the watchdog repaired stuck messages');
  };
}
