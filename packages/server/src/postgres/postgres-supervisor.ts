import { setTimeout as pause } from 'node:timers/promises';
import { limitPostgresLog } from './postgres-log.ts';
import { launchServer, type PostgresServer, type ServerPlan } from './postgres-server.ts';

interface SupervisorEvents {
  /** Called when the server has ended, or an attempt to restart it has failed, with the reason. */
  onDown: (reason: string) => void;
  /** Called when it accepts connections again. */
  onUp: () => void;
}

export interface SupervisedPostgres {
  stop(): Promise<void>;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** A server that ran this long was healthy: after its next failure it is restarted quickly. */
const STEADY_MS = 60_000;
const LOG_CHECK_MS = 60_000;

/**
 * Starts the server and, if it ends before it is stopped, restarts it after a growing delay.
 *
 * @throws EmbeddedPostgresError if the first start fails
 */
export async function supervisePostgres(plan: ServerPlan, events: SupervisorEvents): Promise<SupervisedPostgres> {
  const stopping = new AbortController();
  const first = await launchServer(plan, stopping.signal);
  const logCheck = setInterval(() => limitPostgresLog(plan.place.logFile).catch(() => {}), LOG_CHECK_MS).unref();
  const ended = keepRunning(plan, events, first, stopping.signal).finally(() => clearInterval(logCheck));
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function keepRunning(
  plan: ServerPlan,
  events: SupervisorEvents,
  first: PostgresServer,
  stopping: AbortSignal,
): Promise<void> {
  let server: PostgresServer | null = first;
  let deaths = 0;
  while (server !== null) {
    const upSinceMs = performance.now();
    const reason = await Promise.race([server.exited, whenAborted(stopping)]);
    if (stopping.aborted) return await server.stop();
    deaths = performance.now() - upSinceMs > STEADY_MS ? 1 : deaths + 1;
    events.onDown(reason);
    server = await startAgain(plan, events, deaths, stopping);
    if (server !== null && !stopping.aborted) events.onUp();
  }
}

/** Retries until it succeeds (disk space or memory may become available), or until it is stopped: null. */
async function startAgain(
  plan: ServerPlan,
  events: SupervisorEvents,
  deaths: number,
  stopping: AbortSignal,
): Promise<PostgresServer | null> {
  for (let attempt = deaths; ; attempt += 1) {
    try {
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
      await pause(delayMs, undefined, { signal: stopping });
      return await launchServer(plan, stopping);
    } catch (error) {
      if (stopping.aborted) return null;
      events.onDown(error instanceof Error ? error.message : String(error));
    }
  }
}

function whenAborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('stopped');
    signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
}
