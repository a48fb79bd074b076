import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { LIMITS, toAsciiDomain } from '@postrider/core';
import { parseRelayUrl, type RelayConfig } from './delivery/relay-url.ts';
import { toSecretKey } from './keys/secret-key.ts';
import { findSetting, SETTINGS, type SettingName } from './settings.ts';

export { SETTINGS } from './settings.ts';

export type Mode = 'development' | 'production';
export type Role = 'api' | 'worker' | 'smtp';
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export type TransportSetting = { readonly kind: 'capture' } | { readonly kind: 'relay'; readonly relay: RelayConfig };

export interface Config {
  readonly mode: Mode;
  readonly host: string;
  readonly port: number;
  /** Null: made of host and port once the server listens. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  /** Null: the embedded Postgres. */
  readonly databaseUrl: string | null;
  readonly transport: TransportSetting;
  readonly roles: ReadonlySet<Role>;
  readonly sandboxDomain: string;
  readonly trustedProxies: readonly string[];
  readonly monthlyQuota: number;
  readonly logLevel: LogLevel;
  /** 32 bytes; read or made lazily, since not every command needs it. */
  readonly secretKey: () => Buffer;
  /** The name given to other mail servers. */
  readonly heloName: string;
  /** What the person who starts it should know: settings that do nothing yet, unknown names. */
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
/** Settings of capabilities that this version does not have yet: checked like the others, and said aloud. */
const NOT_IN_USE: readonly SettingName[] = [
  'POSTRIDER_SMTP_PORT',
  'POSTRIDER_SMTPS_PORT',
  'POSTRIDER_INBOUND_PORT',
  'POSTRIDER_TLS_CERT',
  'POSTRIDER_TLS_KEY',
  'POSTRIDER_DNS_SERVERS',
  'POSTRIDER_MX_PORT',
  'POSTRIDER_SIGNUP',
];
/** Read by the clients, which share the environment with the server on many machines. */
const CLIENT_SETTINGS = ['POSTRIDER_API_KEY'];

/** Reads the environment; the only place that does. Every problem is named, not only the first. */
export function readConfig(environment: Environment, flags: { readonly roles?: string } = {}): ConfigVerdict {
  const problems: ConfigProblem[] = [];
  const get = (name: SettingName) => environment[name]?.trim() || null;
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
    host: readHost(get('POSTRIDER_HOST'), mode, refuse),
    port: readPort('POSTRIDER_PORT', get, 8025, refuse),
    baseUrl: readBaseUrl(get('POSTRIDER_BASE_URL'), refuse),
    dataDir,
    databaseUrl: readDatabaseUrl(get('DATABASE_URL'), refuse),
    transport: readTransport(get('POSTRIDER_TRANSPORT'), mode, refuse),
    roles: readRoles(flags.roles ?? get('POSTRIDER_ROLES'), refuse),
    sandboxDomain: readSandboxDomain(get('POSTRIDER_SANDBOX_DOMAIN'), refuse),
    trustedProxies: readProxies(get('POSTRIDER_TRUSTED_PROXIES'), refuse),
    monthlyQuota: readWhole('POSTRIDER_MONTHLY_QUOTA', get, LIMITS.monthlyQuotaDefault, 2_000_000_000, refuse),
    logLevel: readLogLevel(get('POSTRIDER_LOG_LEVEL'), refuse),
    secretKey: readSecretKey(get('POSTRIDER_SECRET_KEY'), mode, dataDir, refuse),
    heloName: hostname(),
    warnings: warningsOf(environment, mode, get),
  };
  for (const name of [
    'POSTRIDER_SMTP_PORT',
    'POSTRIDER_SMTPS_PORT',
    'POSTRIDER_INBOUND_PORT',
    'POSTRIDER_MX_PORT',
  ] as const) {
    readPort(name, get, 0, refuse);
  }
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems };
}

type Refuse = (setting: SettingName, message: string, fix?: string) => void;
type Get = (name: SettingName) => string | null;

function readMode(value: string, refuse: Refuse): Mode {
  if (value === 'development' || value === 'production') return value;
  refuse('POSTRIDER_MODE', `"${value}" is neither development nor production`);
  return 'development';
}

function readHost(value: string | null, mode: Mode, refuse: Refuse): string {
  const host = value ?? '127.0.0.1';
  if (mode === 'development' && !LOOPBACK.test(host)) {
    refuse(
      'POSTRIDER_HOST',
      `in development the server listens on loopback only, and ${host} is beyond it`,
      'Use 127.0.0.1 or ::1, or set POSTRIDER_MODE=production: development has endpoints that give out keys.',
    );
  }
  return host;
}

function readPort(name: SettingName, get: Get, byDefault: number, refuse: Refuse): number {
  return readWhole(name, get, byDefault, 65_535, refuse);
}

function readWhole(name: SettingName, get: Get, byDefault: number, max: number, refuse: Refuse): number {
  const value = get(name);
  if (value === null) return byDefault;
  if (/^\d{1,10}$/.test(value) && Number(value) <= max) return Number(value);
  refuse(name, `"${value}" is not a whole number from 0 to ${max}`);
  return byDefault;
}

function readBaseUrl(value: string | null, refuse: Refuse): string | null {
  if (value === null) return null;
  const url = URL.parse(value);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '')
    return value.replace(/\/+$/, '');
  refuse('POSTRIDER_BASE_URL', `"${value}" is not an http or https URL without query and fragment`);
  return null;
}

function readDatabaseUrl(value: string | null, refuse: Refuse): string | null {
  if (value === null || /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? '')) return value;
  // The value may hold a password: it is not repeated.
  refuse(
    'DATABASE_URL',
    'is not a postgres:// URL',
    'Use postgres://user:password@host:5432/database, or unset it for the embedded Postgres.',
  );
  return null;
}

function readTransport(value: string | null, mode: Mode, refuse: Refuse): TransportSetting {
  const capture: TransportSetting = { kind: 'capture' };
  if (value === 'capture') return capture;
  if (value === null) {
    if (mode === 'production') {
      refuse(
        'POSTRIDER_TRANSPORT',
        'has to be set in production',
        'Set smtp://user:password@host:port, or capture to send nothing anywhere.',
      );
    }
    return capture;
  }
  if (value === 'direct') {
    refuse(
      'POSTRIDER_TRANSPORT',
      '`direct` is not available in this version (not_available)',
      'Use capture, or smtp://user:password@host:port.',
    );
    return capture;
  }
  const relay = parseRelayUrl(value);
  if (relay.ok) return { kind: 'relay', relay: relay.relay };
  refuse(
    'POSTRIDER_TRANSPORT',
    relay.problems.join('; '),
    'Use smtp://user:password@host:port?tls=none|starttls|implicit, or capture.',
  );
  return capture;
}

function readRoles(value: string | null, refuse: Refuse): ReadonlySet<Role> {
  const names = value === null ? ['api', 'worker', 'smtp'] : readList(value);
  const unknown = names.filter((name) => name !== 'api' && name !== 'worker' && name !== 'smtp');
  if (unknown.length > 0 || names.length === 0) {
    refuse(
      'POSTRIDER_ROLES',
      `"${value}" holds no role or an unknown one: ${unknown.join(', ')}`,
      'List some of api, worker, smtp.',
    );
  } else if (names.every((name) => name === 'smtp')) {
    refuse(
      'POSTRIDER_ROLES',
      'the role `smtp` is not available in this version (not_available)',
      'Use api, worker or both.',
    );
  }
  return new Set(names as Role[]); // Anything else was refused above.
}

function readSandboxDomain(value: string | null, refuse: Refuse): string {
  const domain = toAsciiDomain(value ?? 'sandbox.test');
  if (domain === null) refuse('POSTRIDER_SANDBOX_DOMAIN', `"${value}" is not a domain name`);
  return domain ?? 'sandbox.test';
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
      'Make one with `openssl rand -base64 32` and keep it safe: without it the stored secrets are lost.',
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

/** Made once, kept beside the data it protects: good enough for development, where both lie on the same disk anyway. */
function readOrMakeSecretKey(dataDir: string): Buffer {
  const path = join(dataDir, 'secret.key');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, randomBytes(32).toString('base64'), { mode: 0o600 });
  try {
    // A link is made whole or not at all, and only once: of two processes that start together both read what one wrote.
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return Buffer.from(readFileSync(path, 'utf8'), 'base64');
}

function readProxies(value: string | null, refuse: Refuse): readonly string[] {
  const proxies = readList(value);
  const wrong = proxies.filter((proxy) => !isNetwork(proxy));
  if (wrong.length > 0) {
    const fix = 'List addresses such as 10.0.0.1 or ranges such as 10.0.0.0/8, separated by commas.';
    refuse(
      'POSTRIDER_TRUSTED_PROXIES',
      `${wrong.map((proxy) => `"${proxy}"`).join(', ')}: no IP address or CIDR range`,
      fix,
    );
  }
  return proxies;
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

function readList(value: string | null): readonly string[] {
  return (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function warningsOf(environment: Environment, mode: Mode, get: Get): readonly string[] {
  const known = new Set<string>([...SETTINGS.map(({ name }) => name), ...CLIENT_SETTINGS]);
  const unknown = Object.keys(environment).filter((name) => name.startsWith('POSTRIDER_') && !known.has(name));
  const idle = NOT_IN_USE.filter((name) => get(name) !== null);
  return [
    ...unknown.map((name) => `${name} is not a setting of Postrider and does nothing.`),
    ...idle.map(
      (name) => `${name} is set, but what it configures is not available in this version: it does nothing yet.`,
    ),
    ...(mode === 'production' && get('POSTRIDER_TRANSPORT') === 'capture'
      ? ['POSTRIDER_TRANSPORT is capture: in production too, every message is kept here and none is sent.']
      : []),
  ];
}
