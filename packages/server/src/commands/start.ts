import { hostname } from 'node:os';
import { pino } from 'pino';
import { type PreparedAccount, prepareFirstAccount, type Quickstart, writeQuickstart } from '../accounts/quickstart.ts';
import { type App, createApp } from '../app.ts';
import { baseUrlOf, isAnyAddress } from '../base-url.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { findKeyByHash } from '../db/queries/api-keys.ts';
import { reportPort } from '../inbound/start-reports.ts';
import { hashApiKey } from '../keys/api-key.ts';
import { type ConfiguredPort, PortError, toPortError, withOtherPorts } from '../port-error.ts';
import { submissionPorts } from '../smtp-submission/start-submission.ts';
import { createIdGenerator } from '../uuid-v7.ts';
import { VERSION } from '../version.ts';
import { sendFirstMessage } from './first-message.ts';
import { watchParentProcesses } from './parent-processes.ts';
import { type OpenDatabase, openPreparedDatabase } from './prepared-database.ts';

const EXIT_WITHIN_MS = 14_000;
/** A terminal, npx and pnpm each forward one Ctrl-C, so it arrives more than once: only a later signal counts as a second one. */
const ONE_SIGNAL_MS = 1_000;

const NO_ADDRESS =
  'POSTRIDER_BASE_URL is not set, and a server that listens on every address does not know its public address: links to it contain the name of this machine.';

/** `postrider-server start`: starts everything, prints what a new user needs, and ends with a line that starts with `ready`. */
export async function start(config: Config): Promise<void> {
  const beganMs = performance.now();
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false }));
  for (const warning of config.warnings) process.stderr.write(`warning: ${warning}\n`);
  if (config.baseUrl === null && isAnyAddress(config.host)) process.stderr.write(`warning: ${NO_ADDRESS}\n`);
  say(`Postrider ${VERSION} (${config.mode})`);
  let app: App | null = null;
  const database = await openPreparedDatabase(config, {
    onProgress: (text) => say(`  ${text} …`),
    onDown: (reason) => logger.warn({ reason }, 'the embedded PostgreSQL is down'),
    onUp: () => logger.info('the embedded PostgreSQL is up again'),
    onWarning: (text) => process.stderr.write(`warning: ${text}\n`),
  });
  const stop = stopOnce(() => app, database);
  try {
    const port = config.port === 0 ? await openPort(config.host, 0) : config.port;
    // The URL must be known before anything is created with it, so a free port is chosen first if the setting is 0.
    const baseUrl = config.baseUrl ?? baseUrlOf(config.host, port, hostname());
    app = createApp({
      config,
      baseUrl,
      target: database.target,
      logger,
      clock: systemClock,
      random: Math.random,
    });
    await app.start({ host: config.host, port }).catch(async (error: unknown) => {
      // Closed first, so that the ports that this server has opened do not count as in use.
      await stop();
      throw await explainListenError(error, config);
    });
    if (config.metrics !== null && app.metricsPort !== null)
      say(`  metrics on ${baseUrlOf(config.metrics.host, app.metricsPort, hostname())}/metrics`);
    const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
    if (app.http === null) {
      say(`ready in ${seconds} s: without an API (roles: ${[...config.roles].join(', ')})`);
      return;
    }
    if (config.mode === 'development') await introduce(app, config, baseUrl, database, say);
    else say(`  listening on ${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`);
    say(`ready in ${seconds} s: ${baseUrl}`);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Stops cleanly on the first signal, and exits at once if that takes too long or a later signal arrives. */
function stopOnce(app: () => App | null, database: OpenDatabase): () => Promise<void> {
  let stopping: Promise<void> | null = null;
  let signalledAtMs: number | null = null;
  const stop = () => {
    stopping ??= (async () => {
      try {
        await app()?.close();
      } finally {
        await database.close();
      }
    })();
    return stopping;
  };
  const onSignal = () => {
    const nowMs = performance.now();
    if (signalledAtMs !== null) {
      if (nowMs - signalledAtMs >= ONE_SIGNAL_MS) process.exit(1);
      return;
    }
    signalledAtMs = nowMs;
    setTimeout(() => process.exit(1), EXIT_WITHIN_MS).unref();
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  watchParentProcesses(() => {
    if (signalledAtMs === null) onSignal();
  });
  return stop;
}

/** Opens a port for a moment and returns its number. 0 takes a free one. */
async function openPort(host: string, port: number): Promise<number> {
  const { createServer } = await import('node:net');
  return await new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** The error of a port that cannot be opened, with every other configured port that is in use. */
async function explainListenError(error: unknown, config: Config): Promise<unknown> {
  const ports = portsOf(config);
  const explained = toPortError(error, ports);
  return explained instanceof PortError ? await withOtherPorts(explained, ports, isInUse) : explained;
}

function portsOf(config: Config): readonly ConfiguredPort[] {
  const { host, port, metrics, roles } = config;
  const settings = { host: 'POSTRIDER_HOST', port: 'POSTRIDER_PORT' };
  const ofMetrics = { host: 'POSTRIDER_METRICS_HOST', port: 'POSTRIDER_METRICS_PORT' };
  return [
    ...(roles.has('api') ? [{ host, port, settings, purpose: null }] : []),
    ...(metrics === null ? [] : [{ ...metrics, settings: ofMetrics, purpose: 'metrics' }]),
    ...(roles.has('smtp') ? [...submissionPorts(config), reportPort(config)] : []),
  ];
}

async function isInUse({ host, port }: ConfiguredPort): Promise<boolean> {
  return await openPort(host, port).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'EADDRINUSE',
  );
}

/** What development mode adds: the account, the key on screen and in quickstart.json, and the first message. */
async function introduce(
  app: App,
  config: Config,
  baseUrl: string,
  database: OpenDatabase,
  say: (text: string) => void,
): Promise<void> {
  const tools = { sql: database.sql, clock: systemClock, ids: createIdGenerator() };
  const account = await prepareFirstAccount(tools, config.dataDir, config.sandboxDomain);
  const quickstart = toQuickstart(account, config, baseUrl, app.smtp);
  const path = writeQuickstart(config.dataDir, quickstart);
  if (account.isNew && app.engine !== null) await printFirstMessage(app, account, config, database, say);
  say('');
  say(`  base URL  ${quickstart.baseUrl}   (reference: ${quickstart.baseUrl}/reference)`);
  say(`  API key   ${quickstart.key}`);
  say(`  console   ${quickstart.consoleUrl}`);
  say(`  MCP       ${quickstart.mcpUrl}`);
  say(`  settings  ${path}`);
  say('');
  say('  Try it:');
  say(
    `  curl -sS ${baseUrl}/emails -H 'Authorization: Bearer ${quickstart.key}' -H 'Content-Type: application/json' \\`,
  );
  say(
    `    -d '{"from":"Ada <ada@${config.sandboxDomain}>","to":"delivered@${config.sandboxDomain}","subject":"Hello","text":"Hi!"}'`,
  );
  say('');
}

async function printFirstMessage(
  app: App,
  account: PreparedAccount,
  config: Config,
  database: OpenDatabase,
  say: (text: string) => void,
): Promise<void> {
  const caller = await findKeyByHash(database.sql, hashApiKey(account.key));
  if (caller === null) return;
  const first = await sendFirstMessage(app, account, caller.keyId, config.sandboxDomain);
  say(`  sent itself a first message: ${first.id} is ${first.status}`);
}

function toQuickstart(account: PreparedAccount, config: Config, baseUrl: string, smtp: App['smtp']): Quickstart {
  return {
    baseUrl,
    key: account.key,
    accountId: account.accountId,
    accountName: account.accountName,
    ownerEmail: account.ownerEmail,
    consoleUrl: `${baseUrl}/console`,
    smtp: { host: config.host, port: smtp?.port ?? null, tlsPort: smtp?.tlsPort ?? null },
    mcpUrl: `${baseUrl}/mcp`,
  };
}
