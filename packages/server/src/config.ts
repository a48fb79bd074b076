import { resolve } from 'node:path';
import { parseMailbox, toAsciiDomain } from '@postrider/core/email-address';
import { LIMITS } from '@postrider/core/limits';
import {
  type Get,
  type OAuthSetting,
  type ProgramSignIn,
  type Refuse,
  type RetentionSetting,
  type Role,
  readBaseUrl,
  readConnections,
  readDnsServers,
  readHeloName,
  readList,
  readMxPort,
  readOAuth,
  readPort,
  readProcesses,
  readPrograms,
  readProxies,
  readRetention,
  readRetryHours,
  readRoles,
  readSignup,
  readSourceAddress,
  readWhole,
  type SourceAddressSetting,
} from './config/setting-values.ts';
import { parseDatabaseUrl } from './db/database-url.ts';
import { type BlocklistZone, readBlocklists, readSpamd, type SpamdAddress } from './diagnostics/tool-settings.ts';
import { readFormerKeys, readOrMakeSecretKey, toFormerKeys, toSecretKey } from './keys/secret-key.ts';
import { findSetting, SETTINGS, type SettingName } from './settings.ts';
import { parseRelayUrl, type RelayConfig } from './smtp-client/relay-url.ts';

export type { Role, SourceAddressSetting } from './config/setting-values.ts';
export { SETTINGS } from './settings.ts';

export type Mode = 'development' | 'production';
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export type TransportSetting =
  | { readonly kind: 'capture' }
  | { readonly kind: 'direct' }
  | { readonly kind: 'relay'; readonly relay: RelayConfig };

export interface Config {
  readonly mode: Mode;
  readonly host: string;
  readonly port: number;
  /** Null: composed of host and port once the server listens. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  /** Null: the embedded Postgres. */
  readonly databaseUrl: string | null;
  readonly transport: TransportSetting;
  readonly roles: ReadonlySet<Role>;
  /** How many processes share the work; null for as many as processors and memory allow. */
  readonly processes: number | null;
  /** SMTP submission with STARTTLS. */
  readonly smtpPort: number;
  /** SMTP submission with implicit TLS. */
  readonly smtpsPort: number;
  /** Bounces and abuse reports. */
  readonly inboundPort: number;
  /** Where `GET /metrics` is served; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** The certificate of SMTP submission and of inbound reports; null for a self-signed one in development, and for none in production. */
  readonly tlsFiles: { readonly certFile: string; readonly keyFile: string } | null;
  readonly sandboxDomain: string;
  /** The sender of support replies by mail; null for `support` at the sandbox domain. */
  readonly supportFrom: string | null;
  /** The sender of mail about signing in and the team; null for `no-reply` at the sandbox domain. */
  readonly mailFrom: string | null;
  /** Whether a sign-in with an unknown address creates an account. */
  readonly isSignupOpen: boolean;
  /** Whether programs can sign in to MCP, and whether their published metadata are fetched. */
  readonly programs: ProgramSignIn;
  /** The providers that users may sign in with. */
  readonly oauth: readonly OAuthSetting[];
  readonly trustedProxies: readonly string[];
  /** The maximum number of open HTTP connections, in total and from one address. */
  readonly connections: { readonly total: number; readonly perAddress: number };
  /** The same for SMTP submission. */
  readonly smtpConnections: {
    readonly total: number;
    readonly perAddress: number;
    /** From one address before login; a tenth of `perAddress` by default. */
    readonly waitingPerAddress?: number;
  };
  readonly monthlyQuota: number;
  /** How long a message is retried. */
  readonly retryHours: number;
  readonly retention: RetentionSetting;
  readonly logLevel: LogLevel;
  /** 32 bytes; read or created lazily, since not every command needs it. */
  readonly secretKey: () => Buffer;
  /** Previous keys of 32 bytes each: they open what they sealed, and their signatures remain valid. */
  readonly formerSecretKeys: () => readonly Buffer[];
  /** False if the secret key is in the data directory. */
  readonly hasSecretKeySetting: boolean;
  /** The services that the tools query. */
  readonly blocklists: readonly BlocklistZone[];
  readonly spamd: SpamdAddress | null;
  /** `address` or `address:port`; null for the system's. */
  readonly dnsServers: readonly string[] | null;
  /** The name to present to other mail servers; null to derive it from this machine. */
  readonly heloName: string | null;
  /** The address that the transport `direct` sends from; null lets the system choose. */
  readonly sourceAddress: SourceAddressSetting | null;
  /** The port of the servers that the transport `direct` delivers to. */
  readonly mxPort: number;
  /** Warnings for the operator: settings that conflict, and unknown names. */
  readonly warnings: readonly string[];
}

export interface ConfigProblem {
  readonly setting: string;
  readonly message: string;
  readonly fix: string;
}

export type ConfigVerdict =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;
/** Read by the clients, which share the environment with the server on many machines. */
const CLIENT_SETTINGS = ['POSTRIDER_API_KEY', 'POSTRIDER_CONFIG_DIR', 'POSTRIDER_PROFILE', 'POSTRIDER_WEBHOOK_SECRET'];

/** The flags of `start`, which take precedence over the settings of the same names. */
export interface StartFlags {
  readonly roles?: string;
  readonly processes?: string;
}

/** Reads the environment; no other code does. Reports every problem, not only the first. */
export function readConfig(environment: Environment, flags: StartFlags = {}): ConfigVerdict {
  const problems: ConfigProblem[] = [];
  const get = (name: SettingName) => environment[name]?.trim() || null;
  const given = (name: SettingName) => get(name) ?? findSetting(name).default;
  const refuse = (setting: SettingName, message: string, fix?: string) => {
    problems.push({
      setting,
      message,
      fix: fix ?? `${findSetting(setting).description} Default: ${findSetting(setting).default}.`,
    });
  };
  const mode = readMode(
    get('POSTRIDER_MODE') ?? (environment['NODE_ENV'] === 'production' ? 'production' : 'development'),
    refuse,
  );
  const dataDir = resolve(get('POSTRIDER_DATA_DIR') ?? '.postrider');
  const config: Config = {
    mode,
    host: readHost('POSTRIDER_HOST', get, mode, refuse),
    port: readPort('POSTRIDER_PORT', get, 8025, refuse),
    baseUrl: readBaseUrl(get('POSTRIDER_BASE_URL'), refuse),
    dataDir,
    databaseUrl: readDatabaseUrl(get('DATABASE_URL'), refuse),
    transport: readTransport(get('POSTRIDER_TRANSPORT'), mode, refuse),
    roles: readRoles(flags.roles ?? get('POSTRIDER_ROLES'), refuse),
    processes: readProcesses(flags.processes ?? get('POSTRIDER_PROCESSES'), mode, refuse),
    smtpPort: readPort('POSTRIDER_SMTP_PORT', get, 2587, refuse),
    smtpsPort: readPort('POSTRIDER_SMTPS_PORT', get, 2465, refuse),
    inboundPort: readPort('POSTRIDER_INBOUND_PORT', get, 2525, refuse),
    metrics: readMetrics(get, mode, refuse),
    tlsFiles: readTlsFiles(get, refuse),
    sandboxDomain: readSandboxDomain(get('POSTRIDER_SANDBOX_DOMAIN'), refuse),
    supportFrom: readSender('POSTRIDER_SUPPORT_FROM', get, refuse),
    mailFrom: readSender('POSTRIDER_MAIL_FROM', get, refuse),
    isSignupOpen: readSignup(get, mode, refuse),
    programs: readPrograms(get, refuse),
    oauth: readOAuth(get, refuse),
    trustedProxies: readProxies(get('POSTRIDER_TRUSTED_PROXIES'), refuse),
    connections: readConnections('POSTRIDER_CONNECTIONS', 'POSTRIDER_CONNECTIONS_PER_ADDRESS', get, refuse),
    smtpConnections: readConnections(
      'POSTRIDER_SMTP_CONNECTIONS',
      'POSTRIDER_SMTP_CONNECTIONS_PER_ADDRESS',
      get,
      refuse,
    ),
    monthlyQuota: readWhole('POSTRIDER_MONTHLY_QUOTA', get, LIMITS.monthlyQuotaDefault, 2_000_000_000, refuse),
    retryHours: readRetryHours(get, refuse),
    retention: readRetention(get, refuse),
    logLevel: readLogLevel(get('POSTRIDER_LOG_LEVEL'), refuse),
    hasSecretKeySetting: get('POSTRIDER_SECRET_KEY') !== null,
    secretKey: readSecretKey(get('POSTRIDER_SECRET_KEY'), mode, dataDir, refuse),
    formerSecretKeys: readFormerSecretKeys(get, dataDir, refuse),
    blocklists: readBlocklists(given('POSTRIDER_BLOCKLISTS'), (message) => refuse('POSTRIDER_BLOCKLISTS', message)),
    spamd: readSpamd(given('POSTRIDER_SPAMD'), (message) => refuse('POSTRIDER_SPAMD', message)),
    dnsServers: readDnsServers(get('POSTRIDER_DNS_SERVERS'), refuse),
    heloName: readHeloName(get('POSTRIDER_HELO_NAME'), refuse),
    sourceAddress: readSourceAddress(get('POSTRIDER_SOURCE_ADDRESS'), refuse),
    mxPort: readMxPort(get, refuse),
    warnings: warningsOf(environment, mode, get, flags),
  };
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    config: isSubmissionClosed(config) ? { ...config, warnings: [...config.warnings, CLOSED] } : config,
  };
}

function readMode(value: string, refuse: Refuse): Mode {
  if (value === 'development' || value === 'production') return value;
  refuse('POSTRIDER_MODE', `"${value}" is neither development nor production`);
  return 'development';
}

function readMetrics(get: Get, mode: Mode, refuse: Refuse): Config['metrics'] {
  const host = readHost('POSTRIDER_METRICS_HOST', get, mode, refuse);
  if (get('POSTRIDER_METRICS_PORT') === null) return null;
  const port = readPort('POSTRIDER_METRICS_PORT', get, 0, refuse);
  // An invalid POSTRIDER_PORT is reported where it is read.
  if (port !== 0 && port === readPort('POSTRIDER_PORT', get, 8025, () => undefined))
    refuse('POSTRIDER_METRICS_PORT', `"${port}" is the port of the API`, 'Choose another one, such as 9464.');
  return { host, port };
}

function readHost(name: 'POSTRIDER_HOST' | 'POSTRIDER_METRICS_HOST', get: Get, mode: Mode, refuse: Refuse): string {
  const host = get(name) ?? '127.0.0.1';
  if (mode === 'development' && !LOOPBACK.test(host)) {
    refuse(
      name,
      `${host} is not a loopback address, and in development the server listens on loopback only`,
      'Use 127.0.0.1 or ::1, or set POSTRIDER_MODE=production: development has endpoints that return keys.',
    );
  }
  return host;
}

function readDatabaseUrl(value: string | null, refuse: Refuse): string | null {
  if (value === null) return null;
  const parsed = parseDatabaseUrl(value);
  if (parsed.ok) return value;
  refuse('DATABASE_URL', parsed.message, parsed.fix);
  return null;
}

function readTransport(value: string | null, mode: Mode, refuse: Refuse): TransportSetting {
  const capture: TransportSetting = { kind: 'capture' };
  if (value === 'capture') return capture;
  if (value === null) {
    if (mode === 'production') {
      refuse(
        'POSTRIDER_TRANSPORT',
        'is required in production',
        'Set smtp://user:password@host:port, direct, or capture to send nothing anywhere.',
      );
    }
    return capture;
  }
  if (value === 'direct') return { kind: 'direct' };
  const relay = parseRelayUrl(value);
  if (relay.ok) return { kind: 'relay', relay: relay.relay };
  refuse(
    'POSTRIDER_TRANSPORT',
    relay.problems.join('; '),
    'Use smtp://user:password@host:port?tls=none|starttls|implicit, direct, or capture.',
  );
  return capture;
}

function readTlsFiles(get: Get, refuse: Refuse): Config['tlsFiles'] {
  const certFile = get('POSTRIDER_TLS_CERT');
  const keyFile = get('POSTRIDER_TLS_KEY');
  if (certFile !== null && keyFile !== null) return { certFile: resolve(certFile), keyFile: resolve(keyFile) };
  if (certFile !== null) refuse('POSTRIDER_TLS_KEY', 'is not set, and POSTRIDER_TLS_CERT is', NO_CERTIFICATE_FIX);
  if (keyFile !== null) refuse('POSTRIDER_TLS_CERT', 'is not set, and POSTRIDER_TLS_KEY is', NO_CERTIFICATE_FIX);
  return null;
}

const CLOSED =
  'POSTRIDER_TLS_CERT and POSTRIDER_TLS_KEY are not set: SMTP submission is off, and inbound reports are received without TLS. Remove the role `smtp` if neither is needed.';
const NO_CERTIFICATE_FIX = 'Set both POSTRIDER_TLS_CERT and POSTRIDER_TLS_KEY to PEM files.';

/** Keys must not be sent in clear text, and a certificate that no client can verify is no protection in production. */
function isSubmissionClosed({ mode, roles, tlsFiles }: Config): boolean {
  return mode === 'production' && roles.has('smtp') && tlsFiles === null;
}

function readSandboxDomain(value: string | null, refuse: Refuse): string {
  const domain = toAsciiDomain(value ?? 'sandbox.test');
  if (domain === null) refuse('POSTRIDER_SANDBOX_DOMAIN', `"${value}" is not a domain name`);
  return domain ?? 'sandbox.test';
}

function readSender(name: SettingName, get: Get, refuse: Refuse): string | null {
  const value = get(name);
  const parsed = value === null ? null : parseMailbox(value);
  if (parsed !== null && !parsed.ok) refuse(name, `"${value}" ${parsed.message}`);
  return value;
}

function readLogLevel(value: string | null, refuse: Refuse): LogLevel {
  const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
  const level = levels.find((name) => name === (value ?? 'info'));
  if (level === undefined) refuse('POSTRIDER_LOG_LEVEL', `"${value}" is not one of ${levels.join(', ')}`);
  return level ?? 'info';
}

function readSecretKey(value: string | null, mode: Mode, dataDir: string, refuse: Refuse): () => Buffer {
  if (value === null && mode === 'production') {
    refuse(
      'POSTRIDER_SECRET_KEY',
      'is required in production',
      'Create one with `openssl rand -base64 32` and keep it safe: without it the stored secrets are lost.',
    );
  }
  if (value === null) return () => readOrMakeSecretKey(dataDir);
  const key = toSecretKey(value);
  if (key === null)
    refuse(
      'POSTRIDER_SECRET_KEY',
      'is too short',
      'Use at least 32 characters, for example of `openssl rand -base64 32`.',
    );
  return () => key ?? Buffer.alloc(32);
}

/** The setting overrides the key file, including its previous keys. */
function readFormerSecretKeys(get: Get, dataDir: string, refuse: Refuse): () => readonly Buffer[] {
  const value = get('POSTRIDER_SECRET_KEY_PREVIOUS');
  const given = value === null ? [] : toFormerKeys(value);
  if (given === null) refuse('POSTRIDER_SECRET_KEY_PREVIOUS', 'contains no key of at least 32 characters');
  const keys = given ?? [];
  return get('POSTRIDER_SECRET_KEY') === null ? () => [...keys, ...readFormerKeys(dataDir)] : () => keys;
}

function warningsOf(environment: Environment, mode: Mode, get: Get, flags: StartFlags): readonly string[] {
  const known = new Set<string>([...SETTINGS.map(({ name }) => name), ...CLIENT_SETTINGS]);
  const unknown = Object.keys(environment).filter((name) => name.startsWith('POSTRIDER_') && !known.has(name));
  const roles = readList(flags.roles ?? get('POSTRIDER_ROLES'));
  return [
    ...unknown.map((name) => `${name} is not a setting of Postrider and does nothing.`),
    ...(mode === 'production' && get('POSTRIDER_TRANSPORT') === 'capture'
      ? ['POSTRIDER_TRANSPORT is capture in production: every message is stored here and none is sent.']
      : []),
    ...(mode === 'production' && get('POSTRIDER_TRANSPORT') === 'direct' && get('POSTRIDER_HELO_NAME') === null
      ? ['POSTRIDER_HELO_NAME is not set: many mail servers refuse a name that the reverse DNS does not confirm.']
      : []),
    ...(roles.includes('api') && !roles.includes('worker') && get('DATABASE_URL') === null
      ? ['POSTRIDER_ROLES has no worker, and no other process can use the embedded PostgreSQL: nothing is delivered.']
      : []),
  ];
}
