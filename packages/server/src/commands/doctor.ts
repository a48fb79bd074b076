import { getServers } from 'node:dns';
import { availableParallelism, hostname } from 'node:os';
import type { Command } from 'commander';
import { baseUrlOf } from '../base-url.ts';
import { type Clock, systemClock } from '../clock.ts';
import { createOutboundTransport } from '../composition/outbound-transport.ts';
import type { Config, ConfigVerdict } from '../config.ts';
import type { Sql } from '../db/client.ts';
import { connectionsOf } from '../db/connection-counts.ts';
import { readConnectionFacts } from '../db/queries/connection-facts.ts';
import { readQueueFacts, readSealedKeys, type SealedKey } from '../db/queries/doctor.ts';
import { readFailingEndpoints, readWebhookQueue } from '../db/queries/webhook-queue.ts';
import { createDnsResolver } from '../dns/create-dns-resolver.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { checkAccountWall } from '../doctor/check-account-wall.ts';
import { checkCertificate } from '../doctor/check-certificate.ts';
import { checkClock, checkDatabase, checkSchema } from '../doctor/check-database.ts';
import { checkHeloName, checkResolver } from '../doctor/check-names.ts';
import { judgeProcesses } from '../doctor/check-processes.ts';
import { judgeQueue } from '../doctor/check-queue.ts';
import { checkDataDirectory, checkSecretKey } from '../doctor/check-storage.ts';
import { checkMailServer, checkTransport } from '../doctor/check-transport.ts';
import { judgeWebhooks } from '../doctor/check-webhooks.ts';
import { type DoctorCheck, fail, fixOf, messageOf, pass, skip, warn } from '../doctor/doctor-check.ts';
import { chooseHeloName } from '../helo-name.ts';
import { secretKeyFile } from '../keys/secret-key.ts';
import { createOutboundClient } from '../outbound/outbound-client.ts';
import { createHostResolver } from '../outbound/resolve-host.ts';
import { memoryBytes } from '../postgres/machine-memory.ts';
import { VERSION } from '../version.ts';
import { type OpenDatabase, openDatabaseAsItIs } from './prepared-database.ts';
import { chooseProcesses } from './process-count.ts';
import { EXIT, ExitRequest } from './start-error.ts';

export interface DoctorTools {
  readonly readConfig: () => ConfigVerdict;
  readonly write: (text: string) => void;
  readonly progress: (text: string) => void;
  readonly clock?: Clock;
}

interface DoctorFlags {
  readonly json?: boolean;
  readonly tryMailServer?: string;
}

const NAMES = [
  ...['settings', 'data-directory', 'database', 'schema', 'account-wall', 'clock', 'queue', 'webhooks'],
  ...['processes', 'secret-key'],
  ...['transport', 'mail-server', 'dns', 'helo-name', 'certificate'],
] as const;
/** The number of keys to test; more would show nothing new. */
const MAX_SEALED = 1_000;
/** The number of endpoints to check so that they can be named. */
const TROUBLED = 3;
/** Workers send a heartbeat every 10 s. */
const SILENT_AFTER_MS = 30_000;

/** `postrider-server doctor`: checks everything the server depends on, changes nothing, and says how to fix each problem. */
export function addDoctorCommand(program: Command, tools: DoctorTools): void {
  program
    .command('doctor')
    .description(
      'check settings, database, queue, transport, DNS, clock, certificate and disk, and say how to fix each problem',
    )
    .option('--try-mail-server <domain>', 'also connect to the mail server of this domain, as direct delivery would')
    .option('--json', 'print JSON')
    .action(async (flags: DoctorFlags) => {
      const checks = await examine(tools, flags);
      const ok = checks.every(({ status }) => status !== 'fail');
      tools.write(flags.json === true ? `${JSON.stringify({ ok, checks })}\n` : toText(checks));
      if (!ok) throw new ExitRequest(EXIT.failed);
    });
}

async function examine(tools: DoctorTools, flags: DoctorFlags): Promise<readonly DoctorCheck[]> {
  const verdict = tools.readConfig();
  if (!verdict.ok) {
    const wrong = verdict.problems.map(({ setting, message }) => `${setting}: ${message}`).join('; ');
    const fixes = verdict.problems.map(({ setting, fix }) => `${setting}: ${fix}`).join(' ');
    const rest = NAMES.filter((name) => name !== 'settings');
    return [fail('settings', wrong, fixes), ...rest.map((name) => skip(name, 'Skipped until the settings are valid.'))];
  }
  const { config } = verdict;
  const clock = tools.clock ?? systemClock;
  const dns = createDnsResolver({ servers: config.dnsServers, clock });
  const [stored, outside] = await Promise.all([
    checkStored(config, clock, tools.progress),
    checkOutside(config, clock, dns, flags),
  ]);
  return [checkSettings(config), checkDataDirectory(config.dataDir), ...stored, ...outside, checkTls(config, clock)];
}

function checkSettings({ mode, warnings }: Config): DoctorCheck {
  if (warnings.length > 0) return warn('settings', warnings.join(' '), 'Change or remove the settings that are named.');
  return pass('settings', `The settings are valid (${mode}).`);
}

/** Checks of the database and the data directory. */
async function checkStored(config: Config, clock: Clock, onProgress: (text: string) => void): Promise<DoctorCheck[]> {
  let database: OpenDatabase | null;
  try {
    database = await openDatabaseAsItIs(config, { onProgress });
  } catch (error) {
    const fix = fixOf(error, 'Check that it runs and that DATABASE_URL or POSTRIDER_DATA_DIR is right.');
    return withoutDatabase(config, fail('database', messageOf(error), fix));
  }
  if (database === null)
    return withoutDatabase(config, skip('database', 'There is no embedded database yet; the first start creates it.'));
  const { sql } = database;
  const where = config.databaseUrl === null ? `embedded, in ${config.dataDir}` : 'of DATABASE_URL';
  try {
    const [reached, schema, time] = [
      await checkDatabase(sql, where),
      await checkSchema(sql),
      await checkClock(sql, clock),
    ];
    const isCurrent = schema.status === 'pass';
    const behind = 'Skipped until the schema is up to date.';
    const wall = isCurrent ? await checkAccountWall(database.target) : skip('account-wall', behind);
    const queue = isCurrent ? await checkQueue(sql, clock) : skip('queue', behind);
    const webhooks = isCurrent ? await checkWebhooks(sql, clock) : skip('webhooks', behind);
    const sealed = isCurrent ? await readSealedKeys(sql, MAX_SEALED) : null;
    const processes = await checkProcesses(config, sql);
    return [reached, schema, wall, time, queue, webhooks, processes, secretKeyOf(config, sealed)];
  } catch (error) {
    return withoutDatabase(config, fail('database', messageOf(error), 'Check that it runs, and run the doctor again.'));
  } finally {
    await database.close();
  }
}

function withoutDatabase(config: Config, database: DoctorCheck): DoctorCheck[] {
  const unread = ['schema', 'account-wall', 'clock', 'queue', 'webhooks', 'processes'].map((name) =>
    skip(name, 'Skipped, because there is no database to read.'),
  );
  return [database, ...unread, secretKeyOf(config, null)];
}

async function checkQueue(sql: Sql, clock: Clock): Promise<DoctorCheck> {
  const now = clock.now();
  return judgeQueue(await readQueueFacts(sql, now, new Date(now.getTime() - SILENT_AFTER_MS)), now);
}

async function checkWebhooks(sql: Sql, clock: Clock): Promise<DoctorCheck> {
  const now = clock.now();
  return judgeWebhooks(await readWebhookQueue(sql, now), await readFailingEndpoints(sql, TROUBLED), now);
}

async function checkProcesses(config: Config, sql: Sql): Promise<DoctorCheck> {
  return judgeProcesses({
    processes: chooseProcesses(config.processes, { processors: availableParallelism(), memoryBytes: memoryBytes() }),
    perProcess: connectionsOf(config.roles),
    allowed: config.databaseUrl === null ? null : (await readConnectionFacts(sql)).allowed,
  });
}

function secretKeyOf(config: Config, sealed: readonly SealedKey[] | null): DoctorCheck {
  const file = config.hasSecretKeySetting ? null : secretKeyFile(config.dataDir);
  return checkSecretKey({ file, key: config.secretKey, formerKeys: config.formerSecretKeys, sealed });
}

/** Checks of the delivery path. */
async function checkOutside(
  config: Config,
  clock: Clock,
  dns: DnsResolver,
  flags: DoctorFlags,
): Promise<DoctorCheck[]> {
  const { transport, sourceAddress, mode, mxPort } = config;
  const baseUrl = ownUrl(config);
  const heloName = config.heloName ?? chooseHeloName(hostname(), baseUrl, config.sandboxDomain);
  const { kind } = transport;
  const sourceAddresses = [sourceAddress?.ipv4, sourceAddress?.ipv6].filter((address) => typeof address === 'string');
  return await Promise.all([
    kind === 'capture' ? checkTransport({ kind, mode }) : checkWayOut(kind, config, clock, dns),
    checkMailServer(dns, {
      target: flags.tryMailServer ?? null,
      transport: kind,
      port: mxPort,
      heloName,
      sourceAddress,
    }),
    checkResolver(dns, config.dnsServers ?? getServers()),
    checkHeloName(dns, { name: heloName, transport: kind, sourceAddresses }),
  ]);
}

async function checkWayOut(
  kind: 'direct' | 'relay',
  config: Config,
  clock: Clock,
  dns: DnsResolver,
): Promise<DoctorCheck> {
  const allowLoopback = config.mode === 'development';
  const http = createOutboundClient({
    allowLoopback,
    resolve: createHostResolver(dns),
    userAgent: `Postrider/${VERSION}`,
  });
  const options = { config, clock, baseUrl: ownUrl(config), random: Math.random };
  const transport = createOutboundTransport(options, dns, http, async () => {});
  try {
    return await checkTransport({ kind, transport });
  } finally {
    await Promise.all([transport.close(), http.close()]);
  }
}

function checkTls(config: Config, clock: Clock): DoctorCheck {
  const { mode, roles, tlsFiles, heloName } = config;
  const host = URL.parse(ownUrl(config))?.hostname ?? '';
  const names = [...new Set([host.replace(/^\[|\]$/g, ''), ...(heloName === null ? [] : [heloName])])];
  return checkCertificate({ mode, hasSubmission: roles.has('smtp'), tlsFiles, names }, clock.now());
}

function ownUrl({ baseUrl, host, port }: Config): string {
  return baseUrl ?? baseUrlOf(host, port, hostname());
}

function toText(checks: readonly DoctorCheck[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, message, fix }) => [
    `${status}  ${name.padEnd(width)}  ${message}`,
    ...(fix === null ? [] : [`      ${' '.repeat(width)}  fix: ${fix}`]),
  ]);
  const count = (wanted: string) => checks.filter(({ status }) => status === wanted).length;
  return `${lines.join('\n')}\n\n${count('fail')} failed, ${count('warn')} warned, ${count('pass')} passed, ${count('skip')} skipped.\n`;
}
