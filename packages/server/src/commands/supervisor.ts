import { hostname } from 'node:os';
import { baseUrlOf } from '../base-url.ts';
import type { Config } from '../config.ts';
import { connectionsOf } from '../db/connection-counts.ts';
import { mergeMetrics } from '../metrics/merge-metrics.ts';
import { type RunningMetrics, startMetrics } from '../metrics/start-metrics.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/embedded-postgres.ts';
import { openPort } from './open-port.ts';
import {
  type ConnectionFacts,
  connectionsNeeded,
  MORE_CONNECTIONS_FIX,
  processesWithin,
  tooFewConnections,
} from './process-count.ts';
import { createProcessFleet, type ProcessFleet } from './process-fleet.ts';
import { EXIT, reportError } from './start-error.ts';
import { printWarning, type StartOutput, sayListening, sayMetrics, sayReady } from './start-output.ts';
import { type Stopping, stopOnSignals } from './stop-on-signals.ts';
import { assertWritable } from './writable-folder.ts';

/** PostgreSQL's own default. */
const LEAST_CONNECTIONS = 100;

/**
 * Starts the server as several processes. The supervisor owns what exists once: the embedded PostgreSQL, the port of the metrics, the
 * listening sockets and the counts of clients without a key. It handles no requests and no mail.
 */
export async function supervise(config: Config, wanted: number, output: StartOutput): Promise<void> {
  const perProcess = connectionsOf(config.roles);
  let embedded: EmbeddedPostgres | null = null;
  let metrics: RunningMetrics | null = null;
  const fleet = createProcessFleet({
    roles: config.roles,
    processes: wanted,
    logger: output.logger,
    onStarted: () => embedded?.waitFor(fleet.pids()),
    onHopeless: (error) => void giveUp(error, stopping),
  });
  const stopping = stopOnSignals({
    watchesParents: true,
    abandon: fleet.kill,
    stop: async () => {
      try {
        const isClean = await fleet.stop();
        await metrics?.stop();
        return isClean ? EXIT.ok : EXIT.failed;
      } finally {
        await embedded?.stop();
      }
    },
  });
  try {
    assertWritable(config.dataDir);
    fleet.begin();
    if (config.databaseUrl === null)
      embedded = await startDatabase(config, connectionsNeeded(wanted, perProcess), output);
    embedded?.waitFor(fleet.pids());
    const socket = embedded?.connection ?? null;
    const processes = fitDatabase(wanted, await fleet.prepare(socket), perProcess);
    const port = config.port === 0 ? await openPort(config.host, 0) : config.port;
    // The URL must be known before anything is created with it, so a free port is chosen first if the setting is 0.
    const baseUrl = config.baseUrl ?? baseUrlOf(config.host, port, hostname());
    if (config.metrics !== null) metrics = await startMetrics(config.metrics, metricsPage(fleet));
    await fleet.serve({ processes, baseUrl, port, embedded: socket });
    sayMetrics(config, metrics?.port ?? null, output);
    const hasApi = config.roles.has('api');
    if (hasApi && config.mode === 'production') sayListening(config, port, output);
    output.say(`  ${processes} ${processes === 1 ? 'process' : 'processes'}`);
    sayReady(config, hasApi ? baseUrl : null, output.elapsedSeconds(), output);
  } catch (error) {
    // Stopped first, so that the ports that this server has opened do not count as in use.
    await stopping.stop();
    const { explainListenError } = await import('./listen-ports.ts');
    throw await explainListenError(error, config);
  }
}

async function startDatabase(
  { dataDir }: Config,
  connections: number,
  { hooks }: StartOutput,
): Promise<EmbeddedPostgres> {
  const settings = { max_connections: String(Math.max(LEAST_CONNECTIONS, connections)) };
  return await startEmbeddedPostgres({ dataDir, settings, ...hooks });
}

/** As many processes as the database has connections for. */
function fitDatabase(wanted: number, facts: ConnectionFacts, perProcess: number): number {
  const processes = Math.min(wanted, processesWithin(facts, perProcess));
  if (processes === wanted) return wanted;
  const text = tooFewConnections(facts, wanted, perProcess);
  printWarning(`${text} The server starts ${processes} instead. ${MORE_CONNECTIONS_FIX}`);
  return processes;
}

function metricsPage(fleet: ProcessFleet) {
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    async render() {
      const { pages, installation } = await fleet.measure();
      return mergeMetrics([...pages, installation, ownMetrics(fleet)]);
    },
  };
}

function ownMetrics(fleet: ProcessFleet): string {
  return `# HELP postrider_processes Processes of this server that are ready.
# TYPE postrider_processes gauge
postrider_processes ${fleet.ready()}
# HELP postrider_process_restarts_total Processes of this server that ended unexpectedly and were restarted.
# TYPE postrider_process_restarts_total counter
postrider_process_restarts_total ${fleet.restarts()}
`;
}

/** Ends the server with the error of the last process, because none can be kept running. */
async function giveUp(error: unknown, { stop }: Stopping): Promise<void> {
  const code = reportError(error, (text) => void process.stderr.write(text), { json: false });
  await stop().catch(() => undefined);
  process.exit(code);
}
