import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';
import { baseUrlOf, isAnyAddress } from '../base-url.ts';
import type { Config } from '../config.ts';
import { VERSION } from '../version.ts';

/** Where `start` prints and logs. */
export interface StartOutput {
  say(text: string): void;
  readonly logger: Logger;
  /** Callbacks for the database. */
  readonly hooks: {
    onProgress(text: string): void;
    onDown(reason: string): void;
    onUp(): void;
    onWarning(text: string): void;
  };
  /** Since the start, for the ready line. */
  elapsedSeconds(): string;
}

/** A longer write to a pipe could be interleaved with those of other processes (pipe(7), PIPE_BUF). */
const LONGEST_WRITE_BYTES = 4_096;

const NO_ADDRESS =
  'POSTRIDER_BASE_URL is not set, and a server that listens on every address does not know its public address: links to it contain the name of this machine.';

/** @param isShared whether other processes write to the same standard error */
export function createStartOutput(config: Config, isShared: boolean): StartOutput {
  const beganMs = performance.now();
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const destination = { dest: 2, sync: false, ...(isShared ? { maxWrite: LONGEST_WRITE_BYTES } : {}) };
  const logger = pino({ level: config.logLevel }, pino.destination(destination));
  return {
    say,
    logger,
    hooks: {
      onProgress: (text) => say(`  ${text} …`),
      onDown: (reason) => logger.warn({ reason }, 'the embedded PostgreSQL is down'),
      onUp: () => logger.info('the embedded PostgreSQL is up again'),
      onWarning: printWarning,
    },
    elapsedSeconds: () => ((performance.now() - beganMs) / 1_000).toFixed(1),
  };
}

export function printWarning(text: string): void {
  process.stderr.write(`warning: ${text}\n`);
}

/** Prints the warnings and the first line. */
export function sayBegin(config: Config, { say }: StartOutput): void {
  for (const warning of config.warnings) printWarning(warning);
  if (config.baseUrl === null && isAnyAddress(config.host)) printWarning(NO_ADDRESS);
  say(`Postrider ${VERSION} (${config.mode})`);
}

export function sayMetrics({ metrics }: Config, port: number | null, { say }: StartOutput): void {
  if (metrics !== null && port !== null) say(`  metrics on ${baseUrlOf(metrics.host, port, hostname())}/metrics`);
}

export function sayListening({ host }: Config, port: number, { say }: StartOutput): void {
  say(`  listening on ${host.includes(':') ? `[${host}]` : host}:${port}`);
}

/** Prints the last line. @param baseUrl null without an API */
export function sayReady({ roles }: Config, baseUrl: string | null, seconds: string, { say }: StartOutput): void {
  say(`ready in ${seconds} s: ${baseUrl ?? `without an API (roles: ${[...roles].join(', ')})`}`);
}
