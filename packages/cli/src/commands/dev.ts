import { delimiter, dirname, resolve } from 'node:path';
import { type Profile, readProfile } from '@postrider/mcp/credentials';
import { connectTo } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { defineCommand } from '../define-command.ts';
import { findServer } from '../dev/find-server.ts';
import { type ServerProcess, startServer } from '../dev/server-process.ts';
import { fetchHealth } from '../doctor/fetch-health.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { CliFailure, ownFailure, usageFailure } from '../failure.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Invocation } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { severalLines } from '../output/untrusted-text.ts';
import { numberFlag, textFlag } from '../own-flag.ts';
import { EVENTS, FORWARD_FLAG } from '../webhooks/event-flags.ts';
import { type ListenValues, showEvents } from '../webhooks/show-events.ts';

/** A healthy server responds immediately. */
const HEALTH_MS = 2_000;

/** Starts a server, or finds the one that is running here, and follows its events until the user interrupts. */
export const definition = defineCommand({
  id: 'dev',
  about: {
    summary: 'Run a development server and follow its events',
    description:
      'Starts a server in development mode on this machine, which captures mail and delivers none. Shows each event as it happens until Ctrl-C, which also stops the server. The key and the address are in `quickstart.json` in the data directory, where every other command finds them. With `--forward-to`, each event is posted to your program, signed like a real delivery. If a server is already running there, the command follows it and leaves it running. With `--json`, each event is a JSON document on one line.',
    needsKey: false,
    scope: null,
    examples: [
      'postrider dev',
      'postrider dev --port 9025 --data-dir /tmp/mail --forward-to http://localhost:3000/webhooks/postrider',
      'postrider dev --events email.bounced --json | jq .event.data',
    ],
    inputs: [EVENTS],
  },
  flags: {
    forwardTo: FORWARD_FLAG,
    port: numberFlag('--port <number>', 'HTTP port of the server; default: POSTRIDER_PORT, then 8025.', {
      min: 1,
      max: 65_535,
    }),
    server: textFlag(
      '--server <program>',
      'Program to start; default: postrider-server from the nearest node_modules, then from the PATH.',
    ),
  },
  async runAlone(invocation, output, io) {
    const { options } = invocation;
    refuseOtherServers(options);
    const dataDir = resolve(io.cwd, options.dataDir ?? (io.env['POSTRIDER_DATA_DIR'] || '.postrider'));
    const running = await findRunning(dataDir, options, io);
    if (running !== null) {
      output.remark(`A server is already running at ${running.baseUrl}. It keeps running when this command ends.`);
      return await follow(running, invocation, output, io);
    }
    return await runOwn(dataDir, invocation, output, io);
  },
});

type DevValues = ListenValues & { readonly port: number | undefined; readonly server: string | undefined };

async function runOwn(
  dataDir: string,
  invocation: Invocation<DevValues>,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const server = startServer({
    program: await findServer(invocation.own.server, io),
    env: serverEnvironment(dataDir, invocation.own.port, io.env),
    cwd: io.cwd,
    // The server's log is not data of this command.
    onLine: (line) => {
      if (!output.isQuiet) io.stderr.write(`${severalLines(line)}\n`);
    },
  });
  try {
    await untilReady(server, io.signal);
    const profile = await readOwnProfile(dataDir, io);
    return await followWhileItRuns(server, profile, invocation, output, io);
  } finally {
    await server.stop();
  }
}

/** Stops following when the server ends. */
async function followWhileItRuns(
  server: ServerProcess,
  profile: Profile,
  invocation: Invocation<DevValues>,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const serverEnd = new AbortController();
  void server.ended.then((reason) => serverEnd.abort(serverEnded(`The server stopped: ${reason}`)));
  const signal = io.signal === undefined ? serverEnd.signal : AbortSignal.any([io.signal, serverEnd.signal]);
  try {
    return await follow(profile, invocation, output, { ...io, signal });
  } catch (error) {
    if (serverEnd.signal.aborted && io.signal?.aborted !== true) throw serverEnd.signal.reason;
    throw error;
  }
}

function follow(
  { key, baseUrl }: Profile,
  invocation: Invocation<DevValues>,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  return showEvents(invocation, connectTo({ apiKey: key, baseUrl }, invocation.options, io), output, io);
}

async function untilReady({ ready }: ServerProcess, signal: AbortSignal | undefined): Promise<void> {
  const interrupted = Promise.withResolvers<never>();
  const interrupt = () => interrupted.reject(signal?.reason);
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    await Promise.race([ready, interrupted.promise]);
  } catch (error) {
    signal?.throwIfAborted();
    throw serverEnded(`The server did not start: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    signal?.removeEventListener('abort', interrupt);
  }
}

/** The running server of this data directory, or null. Another server can listen on its address by now; that one does not know the key. */
async function findRunning(dataDir: string, options: GlobalOptions, io: CliIo): Promise<Profile | null> {
  const verdict = await readProfile({ POSTRIDER_DATA_DIR: dataDir }, io.cwd);
  const profile = verdict.ok ? verdict.profile : null;
  if (profile === null) return null;
  const health = await fetchHealth(profile.baseUrl, '/health', HEALTH_MS, io.signal);
  const isHealthy = health.kind === 'responded' && health.body['status'] === 'ok';
  return isHealthy && (await isKnown(profile, options, io)) ? profile : null;
}

async function isKnown({ key, baseUrl }: Profile, options: GlobalOptions, io: CliIo): Promise<boolean> {
  const connection = connectTo({ apiKey: key, baseUrl }, options, io);
  try {
    await connection.call('keys.self', {});
    return true;
  } catch (error) {
    if (error instanceof CliFailure && error.exitCode === EXIT_CODES.authentication) return false;
    throw error;
  }
}

async function readOwnProfile(dataDir: string, io: CliIo): Promise<Profile> {
  const verdict = await readProfile({ POSTRIDER_DATA_DIR: dataDir }, io.cwd);
  if (verdict.ok && verdict.profile !== null) return verdict.profile;
  throw serverEnded(verdict.ok ? `The server did not write quickstart.json in ${dataDir}.` : verdict.message);
}

function serverEnvironment(
  dataDir: string,
  port: number | undefined,
  env: CliIo['env'],
): Readonly<Record<string, string | undefined>> {
  return {
    ...env,
    // The current Node is new enough, but may not be the first on the PATH.
    PATH: [dirname(process.execPath), env['PATH'] ?? ''].join(delimiter),
    POSTRIDER_MODE: 'development',
    POSTRIDER_DATA_DIR: dataDir,
    // The events are printed next to it, so its log only needs problems.
    POSTRIDER_LOG_LEVEL: env['POSTRIDER_LOG_LEVEL'] || 'warn',
    ...(port === undefined ? {} : { POSTRIDER_PORT: String(port) }),
  };
}

function refuseOtherServers({ apiKey, baseUrl, profile }: GlobalOptions): void {
  if (apiKey === undefined && baseUrl === undefined && profile === undefined) return;
  throw usageFailure(
    'postrider dev runs its own server and does not accept --api-key, --base-url or --profile',
    'To follow another server: postrider webhooks listen',
  );
}

function serverEnded(detail: string): Error {
  const fix =
    'See its output above, unless --quiet hid it. Run postrider-server doctor to check its settings and its database.';
  return ownFailure(EXIT_CODES.unavailable, 'server_ended', 'The server ended', detail, fix);
}
