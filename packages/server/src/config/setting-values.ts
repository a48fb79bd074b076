import { isIP } from 'node:net';
import { toAsciiDomain } from '@postrider/core/email-address';
import { LIMITS } from '@postrider/core/limits';
import { findSetting, type SettingName } from '../settings.ts';

/** Records a problem with a setting. The default fix is the setting's description. */
export type Refuse = (setting: SettingName, message: string, fix?: string) => void;
/** The trimmed value of a setting; null if it is not set. */
export type Get = (name: SettingName) => string | null;

/** At most one address of each family. */
export interface SourceAddressSetting {
  readonly ipv4: string | null;
  readonly ipv6: string | null;
}

export function readPort(name: SettingName, get: Get, byDefault: number, refuse: Refuse): number {
  return readWhole(name, get, byDefault, 65_535, refuse);
}

export function readWhole(name: SettingName, get: Get, byDefault: number, max: number, refuse: Refuse): number {
  const value = get(name);
  if (value === null) return byDefault;
  if (/^\d{1,10}$/.test(value) && Number(value) <= max) return Number(value);
  refuse(name, `"${value}" is not a whole number from 0 to ${max}`);
  return byDefault;
}

/** A part of the work of a server. */
export type Role = 'api' | 'worker' | 'smtp';

export function readRoles(value: string | null, refuse: Refuse): ReadonlySet<Role> {
  const names = value === null ? ['api', 'worker', 'smtp'] : readList(value);
  const unknown = names.filter((name) => name !== 'api' && name !== 'worker' && name !== 'smtp');
  if (unknown.length > 0 || names.length === 0) {
    refuse(
      'POSTRIDER_ROLES',
      `"${value}" contains no role or an unknown one: ${unknown.join(', ')}`,
      'List some of api, worker, smtp.',
    );
  }
  return new Set(names as Role[]); // Anything else was refused above.
}

/** More processes would only wait for the same database. */
const MAX_PROCESSES = 64;

/** Null for as many as processors and memory allow. */
export function readProcesses(value: string | null, mode: 'development' | 'production', refuse: Refuse): number | null {
  if (value === null) return mode === 'development' ? 1 : null;
  const processes = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (processes >= 1 && processes <= MAX_PROCESSES) return processes;
  refuse('POSTRIDER_PROCESSES', `"${value}" is not a whole number from 1 to ${MAX_PROCESSES}`);
  return 1;
}

export function readRetryHours(get: Get, refuse: Refuse): number {
  const hours = readWhole('POSTRIDER_RETRY_HOURS', get, LIMITS.retryHoursDefault, LIMITS.retryHoursMax, refuse);
  if (hours === 0) refuse('POSTRIDER_RETRY_HOURS', '"0" would give up every message that is deferred once');
  return hours;
}

/** Retention in days. */
export interface RetentionSetting {
  /** Texts and files. */
  readonly bodyDays: number;
  /** Messages with their event log. */
  readonly logDays: number;
  /** Webhook events and delivery attempts. */
  readonly eventDays: number;
}

export function readRetention(get: Get, refuse: Refuse): RetentionSetting {
  const readDays = (name: SettingName, byDefault: number) => {
    const days = readWhole(name, get, byDefault, LIMITS.retentionDaysMax, refuse);
    if (days === 0) refuse(name, '"0" would delete messages that have just been sent');
    return days;
  };
  const bodyDays = readDays('POSTRIDER_BODY_RETENTION_DAYS', LIMITS.bodyRetentionDays);
  const logDays = readDays('POSTRIDER_LOG_RETENTION_DAYS', LIMITS.logRetentionDays);
  const eventDays = readDays('POSTRIDER_EVENT_RETENTION_DAYS', LIMITS.webhookRetentionDays);
  if (bodyDays > logDays) {
    const fix = 'Content is deleted with its message at the latest: set it to at most POSTRIDER_LOG_RETENTION_DAYS.';
    refuse('POSTRIDER_BODY_RETENTION_DAYS', `"${bodyDays}" days is more than the ${logDays} days of the log`, fix);
  }
  return { bodyDays, logDays, eventDays };
}

/** A sign-in provider from the settings. */
export interface OAuthSetting {
  /** Part of its sign-in path. */
  readonly name: string;
  readonly kind: 'oidc' | 'github';
  /** For OpenID Connect the issuer; for GitHub its address. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Whether signing in with an unknown address creates an account. */
export function readSignup(get: Get, mode: 'development' | 'production', refuse: Refuse): boolean {
  const value = get('POSTRIDER_SIGNUP') ?? (mode === 'development' ? 'open' : 'closed');
  if (value !== 'open' && value !== 'closed') refuse('POSTRIDER_SIGNUP', `"${value}" is neither open nor closed`);
  return value === 'open';
}

/** How programs that sign in to MCP are known. */
export type ProgramSignIn = 'published' | 'registered' | 'off';

export function readPrograms(get: Get, refuse: Refuse): ProgramSignIn {
  const value = get('POSTRIDER_PROGRAMS') ?? 'published';
  if (value === 'published' || value === 'registered' || value === 'off') return value;
  refuse('POSTRIDER_PROGRAMS', `"${value}" is neither published, registered nor off`);
  return 'published';
}

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** The configured sign-in providers: those with a client id. */
export function readOAuth(get: Get, refuse: Refuse): readonly OAuthSetting[] {
  const issuer = get('POSTRIDER_OIDC_ISSUER');
  const name = get('POSTRIDER_OIDC_NAME') ?? 'oidc';
  if (!NAME.test(name) || name === 'github' || name === 'google') {
    const fix = 'Use lowercase letters, digits and hyphens; `github` and `google` are reserved.';
    refuse('POSTRIDER_OIDC_NAME', `"${name}" is not a valid provider name`, fix);
  }
  const own = readClient(get, refuse, 'POSTRIDER_OIDC_CLIENT_ID', 'POSTRIDER_OIDC_CLIENT_SECRET');
  if (own !== null && issuer === null) refuse('POSTRIDER_OIDC_ISSUER', 'is not set, but POSTRIDER_OIDC_CLIENT_ID is');
  if (own === null && issuer !== null) refuse('POSTRIDER_OIDC_CLIENT_ID', 'is not set, but POSTRIDER_OIDC_ISSUER is');
  const github = readClient(get, refuse, 'POSTRIDER_GITHUB_CLIENT_ID', 'POSTRIDER_GITHUB_CLIENT_SECRET');
  const google = readClient(get, refuse, 'POSTRIDER_GOOGLE_CLIENT_ID', 'POSTRIDER_GOOGLE_CLIENT_SECRET');
  const githubUrl = readAddress(get, refuse, 'POSTRIDER_GITHUB_URL') ?? 'https://github.com';
  const ownIssuer = readAddress(get, refuse, 'POSTRIDER_OIDC_ISSUER');
  return [
    ...(github === null ? [] : [{ ...github, name: 'github', kind: 'github' as const, issuer: githubUrl }]),
    ...(google === null
      ? []
      : [{ ...google, name: 'google', kind: 'oidc' as const, issuer: 'https://accounts.google.com' }]),
    ...(own === null || ownIssuer === null ? [] : [{ ...own, name, kind: 'oidc' as const, issuer: ownIssuer }]),
  ];
}

function readClient(get: Get, refuse: Refuse, idName: SettingName, secretName: SettingName) {
  const [clientId, clientSecret] = [get(idName), get(secretName)];
  if (clientId !== null && clientSecret !== null) return { clientId, clientSecret };
  if (clientId !== null) refuse(secretName, `is not set, but ${idName} is`);
  if (clientSecret !== null) refuse(idName, `is not set, but ${secretName} is`);
  return null;
}

function readAddress(get: Get, refuse: Refuse, name: SettingName): string | null {
  const value = get(name);
  if (value === null) return null;
  const url = URL.parse(value);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') {
    // Issuers are compared exactly, except for the slash of an empty path.
    return url.pathname === '/' ? url.origin : value;
  }
  refuse(name, 'is not an http or https URL without credentials');
  return null;
}

export function readBaseUrl(value: string | null, refuse: Refuse): string | null {
  if (value === null) return null;
  const url = URL.parse(value);
  const isPlain = url !== null && url.username === '' && url.password === '' && !/[?#]/.test(value);
  if (isPlain && /^https?:$/.test(url.protocol)) return value.replace(/\/+$/, '');
  // It may contain a password, so it is not repeated.
  const what = value.includes('@') ? 'the given value' : `"${value}"`;
  refuse('POSTRIDER_BASE_URL', `${what} is not an http or https URL without credentials, query and fragment`);
  return null;
}

const HOST_NAME = /^(?=.{1,255}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/** The names that RFC 5321, section 4.1.1.1, allows for a client: a host name, or its address in brackets. */
export function readHeloName(value: string | null, refuse: Refuse): string | null {
  if (value === null) return null;
  const [, six = '', four = ''] = /^\[(?:ipv6:([^\]]+)|([^\]:]+))\]$/i.exec(value) ?? [];
  if (isIP(six) === 6 || isIP(four) === 4) return value;
  const name = toAsciiDomain(value) ?? value;
  if (HOST_NAME.test(name) && isIP(name) === 0) return name;
  const fix = 'Use the DNS name of this machine, such as mail.example.com, or its address as [192.0.2.1].';
  refuse('POSTRIDER_HELO_NAME', `"${value}" is neither a host name nor an address in brackets`, fix);
  return null;
}

export function readProxies(value: string | null, refuse: Refuse): readonly string[] {
  const proxies = readList(value);
  const wrong = proxies.filter((proxy) => !isNetwork(proxy));
  if (wrong.length > 0) {
    const fix = 'List addresses such as 10.0.0.1 or ranges such as 10.0.0.0/8, separated by commas.';
    refuse(
      'POSTRIDER_TRUSTED_PROXIES',
      `${wrong.map((proxy) => `"${proxy}"`).join(', ')}: not an IP address or CIDR range`,
      fix,
    );
  }
  return proxies;
}

/** How many connections may be open, in total and from one address. */
export function readConnections(
  total: SettingName,
  perAddress: SettingName,
  get: Get,
  refuse: Refuse,
): { readonly total: number; readonly perAddress: number } {
  const read = (name: SettingName) => {
    const connections = readWhole(name, get, Number(findSetting(name).default), 1_000_000, refuse);
    if (connections === 0) refuse(name, '"0" would reject every connection');
    return connections;
  };
  return { total: read(total), perAddress: read(perAddress) };
}

export function readDnsServers(value: string | null, refuse: Refuse): readonly string[] | null {
  const servers = readList(value);
  const wrong = servers.filter((server) => !isServerAddress(server));
  if (wrong.length > 0) {
    const fix =
      'List addresses such as 9.9.9.9 or 127.0.0.1:5353, separated by commas; IPv6 with a port as [::1]:5353.';
    refuse('POSTRIDER_DNS_SERVERS', `${wrong.map((server) => `"${server}"`).join(', ')}: not an IP address`, fix);
  }
  return servers.length === 0 ? null : servers;
}

export function readSourceAddress(value: string | null, refuse: Refuse): SourceAddressSetting | null {
  const addresses = readList(value);
  const wrong = addresses.filter((address) => isIP(address) === 0);
  const fix = 'Set one IPv4 address, one IPv6 address, or one of each, such as 192.0.2.1,2001:db8::1.';
  if (wrong.length > 0) {
    refuse('POSTRIDER_SOURCE_ADDRESS', `${wrong.map((text) => `"${text}"`).join(', ')}: not an IP address`, fix);
  } else if ([4, 6].some((family) => addresses.filter((address) => isIP(address) === family).length > 1)) {
    refuse('POSTRIDER_SOURCE_ADDRESS', `"${value}" has two addresses of the same family`, fix);
  }
  if (addresses.length === 0) return null;
  const ofFamily = (family: number) => addresses.find((address) => isIP(address) === family) ?? null;
  return { ipv4: ofFamily(4), ipv6: ofFamily(6) };
}

export function readMxPort(get: Get, refuse: Refuse): number {
  const port = readPort('POSTRIDER_MX_PORT', get, 25, refuse);
  if (port === 0) refuse('POSTRIDER_MX_PORT', '"0" is not a port that a mail server can listen on');
  return port;
}

function isServerAddress(text: string): boolean {
  const [, six, four, port = '53'] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isAddress = isIP(text) === 6 || isIP(six ?? '') === 6 || isIP(four ?? '') === 4;
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

export function readList(value: string | null): readonly string[] {
  return (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
