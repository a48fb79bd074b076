import { hostname } from 'node:os';
import { type App, createApp } from '../app.ts';
import { baseUrlOf } from '../base-url.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { introduce } from './introduce.ts';
import { explainListenError } from './listen-ports.ts';
import { openPort } from './open-port.ts';
import { openPreparedDatabase } from './prepared-database.ts';
import { type StartOutput, sayListening, sayMetrics, sayReady } from './start-output.ts';
import { stopOnSignals } from './stop-on-signals.ts';

/** Starts the whole server in this process. */
export async function startAlone(config: Config, output: StartOutput): Promise<void> {
  const { logger } = output;
  let app: App | null = null;
  const database = await openPreparedDatabase(config, output.hooks);
  const { stop } = stopOnSignals({
    watchesParents: true,
    stop: async () => {
      try {
        await app?.close();
      } finally {
        await database.close();
      }
      return 0;
    },
  });
  try {
    const port = config.port === 0 ? await openPort(config.host, 0) : config.port;
    // The URL must be known before anything is created with it, so a free port is chosen first if the setting is 0.
    const baseUrl = config.baseUrl ?? baseUrlOf(config.host, port, hostname());
    const { target } = database;
    app = createApp({ config, baseUrl, target, logger, clock: systemClock, random: Math.random });
    await app.start({ host: config.host, port }).catch(async (error: unknown) => {
      // Closed first, so that the ports that this server has opened do not count as in use.
      await stop();
      throw await explainListenError(error, config);
    });
    sayMetrics(config, app.metricsPort, output);
    const seconds = output.elapsedSeconds();
    if (app.http !== null) {
      if (config.mode === 'development') await introduce(app, config, baseUrl, database, output.say);
      else sayListening(config, port, output);
    }
    sayReady(config, app.http === null ? null : baseUrl, seconds, output);
  } catch (error) {
    await stop();
    throw error;
  }
}
