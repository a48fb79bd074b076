import { hostname } from 'node:os';
import { LIMITS } from '@postrider/core';
import type { FastifyInstance } from 'fastify';
import { createCallers } from './auth/callers.ts';
import type { SessionAuthenticator } from './auth/session-authenticator.ts';
import { findAllowedSessions } from './auth/session-scopes.ts';
import type { AppOptions } from './composition/app-options.ts';
import { createAuthServices } from './composition/auth-services.ts';
import { type DeliveryWorker, startDelivery } from './composition/delivery-worker.ts';
import { createApi } from './composition/http-api.ts';
import { captureInto, createOutboundTransport } from './composition/outbound-transport.ts';
import { createSendingDomains, createUnsendable } from './composition/sending-domains.ts';
import { createWebhookWorker } from './composition/webhook-worker.ts';
import { createInstallation } from './config/installation.ts';
import { bindAccount } from './db/account-client.ts';
import type { Sql } from './db/client.ts';
import { openDatabasePools, openLogPool } from './db/database-pools.ts';
import type { DeliveryEngine } from './delivery/delivery-engine.ts';
import { isSettled } from './delivery/message-status.ts';
import { createDiagnostics } from './diagnostics/diagnostics.ts';
import { createDnsResolver } from './dns/create-dns-resolver.ts';
import { createEvents } from './events/events.ts';
import { chooseHeloName } from './helo-name.ts';
import { createRequestLog } from './http/request-log.ts';
import { type RunningReports, startReports } from './inbound/start-reports.ts';
import { createDeliverySignal } from './jobs/delivery-signal.ts';
import type { WebhookWorker } from './jobs/start-webhooks.ts';
import { createKeyAuthenticator, type KeyAuthenticator } from './keys/key-authenticator.ts';
import { createKeyRates, type KeyRates } from './keys/key-rates.ts';
import { createInstallationBox } from './keys/secret-box.ts';
import { type RunningMetrics, startMetrics } from './metrics/start-metrics.ts';
import { createAccountServices } from './operations/account-services.ts';
import type { Services } from './operations/context.ts';
import { createExportLimit } from './operations/emails/export-limit.ts';
import { createLargeLogs } from './operations/emails/large-logs.ts';
import { createOutboundClient } from './outbound/outbound-client.ts';
import { createHostResolver } from './outbound/resolve-host.ts';
import { createReceipts } from './receipts/receipts.ts';
import { ACCEPT_CONNECTIONS } from './sending/accept-queue.ts';
import { createBodyShaper } from './sending/content/body-shaper.ts';
import { createFileSource } from './sending/content/fetch-files.ts';
import { createSending } from './sending/sending.ts';
import { type RunningSubmission, startSubmission } from './smtp-submission/start-submission.ts';
import { createTemplateRenderer } from './templates/template-renderer.ts';
import { createTemplateSources } from './templates/template-sources.ts';
import { createJobThreads } from './threads/job-threads.ts';
import { createIdGenerator, type IdGenerator } from './uuid-v7.ts';
import { VERSION } from './version.ts';
import type { ObservedAttempt, WebhookMetrics } from './webhooks/webhook-metrics.ts';
import { createWebhooks } from './webhooks/webhooks.ts';
import { within } from './within.ts';

/** A running Postrider: the parts that its roles need, on a migrated database. */
export interface App {
  /** Null without the role `api`. */
  readonly http: FastifyInstance | null;
  readonly services: Services;
  readonly sql: Sql;
  /** Null without the role `worker`, and before the start. */
  readonly engine: DeliveryEngine | null;
  /** The ports of SMTP submission; null while it is closed. */
  readonly smtp: RunningSubmission['ports'] | null;
  /** The port of inbound reports; null without the role `smtp`, and before the start. */
  readonly inboundPort: number | null;
  /** The port of `GET /metrics`; null if it is not served, and before the start. */
  readonly metricsPort: number | null;
  /** The metrics of this process; null if none are served, and before the start. */
  readonly metrics: WebhookMetrics | null;
  /**
   * Listens first and only then begins to deliver, so that a port in use stops the start before any mail has left.
   * @throws what listening throws; nothing runs then, and `close` must still be called.
   */
  start(address: { readonly host: string; readonly port: number }): Promise<void>;
  /** Drains: accepts no new requests, finishes running ones, releases leases and writes logs. */
  close(): Promise<void>;
}

const FLUSH_KEY_USE_MS = 5_000;
const OUTBOUND_DRAIN_MS = 1_000;
const LOG_DRAIN_MS = 1_000;

/** The composition root: every part is created and wired here, and nowhere else. Nothing runs before `start`. */
export function createApp(options: AppOptions): App {
  const { config, clock, logger, target, baseUrl, processes = 1, supervision = null } = options;
  const ids = createIdGenerator();
  const pools = openDatabasePools(target, ACCEPT_CONNECTIONS);
  const { api: sql, work: workSql, reads: readsSql } = pools;
  const forAccount = createAccountServices(pools, () => services);
  const warn = (error: unknown, what: string) =>
    logger.warn({ error: error instanceof Error ? error.message : String(error) }, what);

  const installation = createInstallation(config, baseUrl);
  const events = createEvents(sql, isSettled, (sessions) => findAllowedSessions(sql, sessions, clock.now()));
  const delivery = createDeliverySignal({
    ...{ sql, clock },
    wakeHere: () => worker?.wake() ?? false,
    onError: (error) => warn(error, 'waking the queue'),
  });
  const dns = createDnsResolver({ servers: config.dnsServers, clock });
  const outboundHttp = createOutboundClient({
    allowLoopback: config.mode === 'development',
    resolve: createHostResolver(dns),
    userAgent: `Postrider/${VERSION}`,
  });
  const outbound = createOutboundTransport(
    options,
    dns,
    outboundHttp,
    captureInto(workSql, clock, createInstallationBox(config)),
  );
  const authenticator = createKeyAuthenticator(sql, clock);
  const templates = createTemplateRenderer();
  const threads = createJobThreads();
  const sending = createSending({
    ...{ installation, clock, ids, sql },
    pools: { singles: pools.sends, batches: pools.batches, files: pools.files },
    content: {
      now: clock.now,
      files: createFileSource({ client: outboundHttp }),
      bodies: createBodyShaper(threads),
      templates: {
        renderer: templates,
        sources: createTemplateSources((accountId) => bindAccount(pools.accounts, accountId)),
      },
    },
    unsendable: createUnsendable(options),
    onAccepted: delivery.wake,
    onFault: (error) => warn(error, 'accepting a part of a batch'),
  });
  const isLocal = config.mode === 'development';
  const webhooks = createWebhooks({
    ...{ sql, clock, secretKey: config.secretKey },
    secrets: createInstallationBox(config),
    policy: { allowLoopback: isLocal },
    wake: () => webhookWorker?.wake(),
    localClient: isLocal ? outboundHttp : null,
  });
  const auth = createAuthServices(options, sql, ids, installation, outboundHttp, warn);
  const authentication = { authenticator, sessions: auth.sessions, rates: createKeyRates(pools.rates) };
  const guards = createRequestGuards(options, authentication, ids, warn);
  let worker: DeliveryWorker | null = null;
  let webhookWorker: WebhookWorker | null = null;
  const queueFault = () => worker?.jobs.fault() ?? null;
  const services: Services = {
    database: { sql, readsSql, clock, ids },
    sending,
    delivery,
    domains: createSendingDomains(options, sql, ids, dns, warn),
    auth,
    callers: createCallers(authenticator, auth.sessions),
    events,
    webhooks,
    diagnostics: createDiagnostics(config, clock, dns, { sql, transport: outbound, queueFault }, processes),
    requests: { settle: guards.requestLog.flush },
    receipts: createReceipts({ sql, box: createInstallationBox(config), clock, ids }),
    exports: createExportLimit(LIMITS.exportsAtOnce),
    largeLogs: createLargeLogs(),
    threads,
    installation,
    forAccount,
  };
  const api = config.roles.has('api') ? createApi(options, services, guards, ids, sql, outboundHttp, warn) : null;
  let submission: RunningSubmission | null = null;
  let reports: RunningReports | null = null;
  let metrics: RunningMetrics | null = null;
  let page: WebhookMetrics | null = null;
  let observe = (_attempt: ObservedAttempt) => {};

  async function start(address: { readonly host: string; readonly port: number }): Promise<void> {
    await api?.http.listen(address);
    if (config.metrics !== null) {
      const load = () => webhookWorker?.load() ?? null;
      const streamsOpen = webhooks.listening.feeds.count;
      // Loaded only if needed: it takes 20 MB and 30 ms.
      const { createWebhookMetrics } = await import('./webhooks/webhook-metrics.ts');
      page = createWebhookMetrics({ sql, clock, load, streamsOpen, process: supervision?.process ?? null });
      observe = page.observe;
      // The supervisor serves the metrics of all its processes on one port.
      if (supervision === null) metrics = await startMetrics(config.metrics, page);
    }
    if (config.roles.has('smtp')) {
      const { requestLog, rates } = guards;
      const name = config.heloName ?? chooseHeloName(hostname(), baseUrl, config.sandboxDomain);
      const tools = {
        authenticator,
        rates,
        tools: { sending, threads },
        sql: pools.rates,
        clock,
        logger,
        name,
        logRequest: requestLog.add,
      };
      submission = await startSubmission(config, tools);
      reports = await startReports(config, { sql, clock, ids, logger, name, processes });
    }
    if (!config.roles.has('worker')) return;
    worker = await startDelivery(
      { ...options, dns, installation, domains: createSendingDomains(options, workSql, ids, dns, warn).checker },
      pools,
      ids,
      outbound,
      (messages) => events.waiter.notify(messages),
      warn,
    );
    webhookWorker = createWebhookWorker(options, {
      pools,
      ids,
      dns,
      box: webhooks.secrets,
      installation,
      onAttempt: observe,
      onError: warn,
    });
  }

  async function close(): Promise<void> {
    events.waiter.close();
    events.watcher.close();
    events.live.close();
    webhooks.listening.feeds.close();
    await Promise.all([api?.drain(), submission?.drain(), reports?.drain()]);
    await sending.acceptQueue.idle();
    await within(OUTBOUND_DRAIN_MS, auth.links.idle());
    await Promise.all([templates.close(), threads.close()]);
    delivery.close();
    await Promise.all([worker?.stop(), webhookWorker?.stop()]);
    await within(OUTBOUND_DRAIN_MS, Promise.all([outbound.close(), outboundHttp.close()]));
    await within(OUTBOUND_DRAIN_MS, services.domains.checker.stop());
    await api?.stop();
    await guards.stop();
    await metrics?.stop();
    await pools.end();
  }

  return {
    http: api?.http ?? null,
    services,
    sql,
    get engine() {
      return worker?.engine ?? null;
    },
    get smtp() {
      return submission?.ports ?? null;
    },
    get inboundPort() {
      return reports?.port ?? null;
    },
    get metricsPort() {
      return metrics?.port ?? null;
    },
    get metrics() {
      return page;
    },
    start,
    close,
  };
}

type Warn = (error: unknown, what: string) => void;

/** What HTTP and SMTP both need for their callers: authentication, rate limits and the request log. */
function createRequestGuards(
  { target, clock }: AppOptions,
  {
    authenticator,
    sessions,
    rates,
  }: { readonly authenticator: KeyAuthenticator; readonly sessions: SessionAuthenticator; readonly rates: KeyRates },
  ids: IdGenerator,
  warn: Warn,
) {
  const logSql = openLogPool(target);
  const requestLog = createRequestLog(logSql, clock, ids, (error) => warn(error, 'writing the request log'));
  const flushUse = () => Promise.all([authenticator.flushUse(), sessions.flushUse()]);
  const keyUse = setInterval(() => {
    flushUse().catch((error: unknown) => warn(error, 'writing when keys and sessions were used'));
  }, FLUSH_KEY_USE_MS);
  const stop = async () => {
    clearInterval(keyUse);
    await within(LOG_DRAIN_MS, Promise.all([requestLog.close(), rates.close()]));
    await logSql.end({ timeout: 1 });
    await flushUse().catch(() => {});
  };
  return { authenticator, rates, requestLog, stop };
}
