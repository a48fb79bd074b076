import { Resolver } from 'node:dns';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { baseUrlOf, isAnyAddress } from '../../packages/server/src/base-url.ts';
import { type Config, readConfig, SETTINGS } from '../../packages/server/src/config.ts';
import { chooseHeloName } from '../../packages/server/src/helo-name.ts';
import { useCleanUps } from '../harness/clean-ups.ts';

type Environment = Readonly<Record<string, string>>;

const SECRET = Buffer.alloc(32, 3).toString('base64');
const PRODUCTION: Environment = {
  POSTRIDER_MODE: 'production',
  POSTRIDER_SECRET_KEY: SECRET,
  POSTRIDER_TRANSPORT: 'smtp://relay.example:25',
};

function configOf(environment: Environment = {}, flags: { readonly roles?: string } = {}): Config {
  const verdict = readConfig(environment, flags);
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems));
  return verdict.config;
}

function problemsOf(environment: Environment, flags: { readonly roles?: string } = {}): readonly string[] {
  const verdict = readConfig(environment, flags);
  if (verdict.ok) return [];
  for (const { message, fix } of verdict.problems)
    expect([message, fix]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
  return verdict.problems.map(({ setting }) => setting);
}

describe('the settings', () => {
  const cleanUp = useCleanUps();

  it('are those of the contract, each with a default and a description', { tags: ['contract-settings.listed'] }, () => {
    expect(SETTINGS.map(({ name }) => name)).toEqual([
      ...[
        'POSTRIDER_MODE',
        'POSTRIDER_HOST',
        'POSTRIDER_PORT',
        'POSTRIDER_BASE_URL',
        'POSTRIDER_DATA_DIR',
        'DATABASE_URL',
      ],
      ...[
        'POSTRIDER_TRANSPORT',
        'POSTRIDER_HELO_NAME',
        'POSTRIDER_SOURCE_ADDRESS',
        'POSTRIDER_ROLES',
        'POSTRIDER_PROCESSES',
        'POSTRIDER_SMTP_PORT',
        'POSTRIDER_SMTPS_PORT',
        'POSTRIDER_INBOUND_PORT',
      ],
      ...['POSTRIDER_METRICS_PORT', 'POSTRIDER_METRICS_HOST'],
      ...['POSTRIDER_TLS_CERT', 'POSTRIDER_TLS_KEY', 'POSTRIDER_DNS_SERVERS'],
      ...['POSTRIDER_BLOCKLISTS', 'POSTRIDER_SPAMD', 'POSTRIDER_SANDBOX_DOMAIN', 'POSTRIDER_SUPPORT_FROM'],
      ...['POSTRIDER_SECRET_KEY', 'POSTRIDER_SECRET_KEY_PREVIOUS', 'POSTRIDER_TRUSTED_PROXIES'],
      ...['POSTRIDER_CONNECTIONS', 'POSTRIDER_CONNECTIONS_PER_ADDRESS'],
      ...['POSTRIDER_SMTP_CONNECTIONS', 'POSTRIDER_SMTP_CONNECTIONS_PER_ADDRESS'],
      ...['POSTRIDER_MX_PORT', 'POSTRIDER_MONTHLY_QUOTA'],
      ...['POSTRIDER_RETRY_HOURS', 'POSTRIDER_BODY_RETENTION_DAYS', 'POSTRIDER_LOG_RETENTION_DAYS'],
      ...['POSTRIDER_EVENT_RETENTION_DAYS'],
      ...['POSTRIDER_SIGNUP', 'POSTRIDER_PROGRAMS', 'POSTRIDER_MAIL_FROM'],
      ...['POSTRIDER_GITHUB_CLIENT_ID', 'POSTRIDER_GITHUB_CLIENT_SECRET', 'POSTRIDER_GITHUB_URL'],
      ...['POSTRIDER_GOOGLE_CLIENT_ID', 'POSTRIDER_GOOGLE_CLIENT_SECRET'],
      ...['POSTRIDER_OIDC_ISSUER', 'POSTRIDER_OIDC_CLIENT_ID', 'POSTRIDER_OIDC_CLIENT_SECRET', 'POSTRIDER_OIDC_NAME'],
      ...['POSTRIDER_LOG_LEVEL'],
    ]);
    for (const { default: byDefault, description } of SETTINGS)
      expect([byDefault, description]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\.$/)]);
  });

  it('are in docs/configuration.md, with their defaults', { tags: ['contract-settings.listed'] }, () => {
    const page = readFileSync('docs/configuration.md', 'utf8');
    for (const { name } of SETTINGS) expect(page).toContain(`| \`${name}\` |`);
  });

  it('all have a default: an empty environment starts a development server', {
    tags: [
      'contract-settings.listed',
      'contract-settings.mode',
      'contract-settings.address',
      'contract-settings.storage',
      'contract-settings.transport',
      'contract-settings.roles',
      'contract-settings.sandbox-domain',
      'contract-settings.monthly-quota',
      'contract-settings.log-level',
    ],
  }, () => {
    expect(configOf()).toMatchObject({
      mode: 'development',
      host: '127.0.0.1',
      port: 8025,
      baseUrl: null,
      dataDir: resolve('.postrider'),
      databaseUrl: null,
      transport: { kind: 'capture' },
      roles: new Set(['api', 'worker', 'smtp']),
      smtpPort: 2587,
      smtpsPort: 2465,
      tlsFiles: null,
      sandboxDomain: 'sandbox.test',
      trustedProxies: [],
      monthlyQuota: 100_000,
      retryHours: 24,
      logLevel: 'info',
      warnings: [],
    });
  });

  it('count as missing when they are empty', () => {
    const empty = Object.fromEntries(SETTINGS.map(({ name }) => [name, ' ']));
    expect(configOf(empty)).toMatchObject({ mode: 'development', port: 8025, warnings: [] });
  });

  it('are read from the environment', {
    tags: [
      'contract-settings.address',
      'contract-settings.storage',
      'contract-settings.monthly-quota',
      'contract-settings.log-level',
      'contract-settings.sandbox-domain',
    ],
  }, () => {
    const config = configOf({
      POSTRIDER_HOST: '::1',
      POSTRIDER_PORT: '0',
      POSTRIDER_BASE_URL: 'https://mail.example/api/',
      POSTRIDER_DATA_DIR: 'somewhere/else',
      DATABASE_URL: 'postgres://u:p@db.example:5432/mail',
      POSTRIDER_SANDBOX_DOMAIN: 'Try.Bücher.example',
      POSTRIDER_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16',
      POSTRIDER_MONTHLY_QUOTA: '0',
      POSTRIDER_LOG_LEVEL: 'debug',
    });
    expect(config).toMatchObject({
      host: '::1',
      port: 0,
      baseUrl: 'https://mail.example/api',
      dataDir: resolve('somewhere/else'),
      databaseUrl: 'postgres://u:p@db.example:5432/mail',
      sandboxDomain: 'try.xn--bcher-kva.example',
      trustedProxies: ['10.0.0.1', '10.1.0.0/16'],
      monthlyQuota: 0,
      logLevel: 'debug',
    });
  });

  it('set for how many hours a message is retried, 1 to 72', () => {
    expect(configOf({ POSTRIDER_RETRY_HOURS: '72' })).toMatchObject({ retryHours: 72, warnings: [] });
    expect(configOf({ POSTRIDER_RETRY_HOURS: '1' })).toMatchObject({ retryHours: 1 });
    for (const hours of ['0', '73', '1.5', '-1', 'a day']) {
      const verdict = readConfig({ POSTRIDER_RETRY_HOURS: hours });
      expect(verdict.ok ? [] : verdict.problems.map(({ setting }) => setting), hours).toEqual([
        'POSTRIDER_RETRY_HOURS',
      ]);
    }
  });

  it('set the DNS servers, with or without a port', { tags: ['contract-settings.dns-servers'] }, () => {
    expect(configOf().dnsServers).toBeNull();
    const servers = ['127.0.0.1:5353', '9.9.9.9', '2620:fe::fe', '[::1]:5353', '[::1]'];
    for (const server of servers) {
      expect(configOf({ POSTRIDER_DNS_SERVERS: server }), server).toMatchObject({ dnsServers: [server], warnings: [] });
      expect(() => new Resolver().setServers([server]), server).not.toThrow();
    }
    expect(configOf({ POSTRIDER_DNS_SERVERS: '9.9.9.9, 127.0.0.1:5353' }).dnsServers).toEqual([
      '9.9.9.9',
      '127.0.0.1:5353',
    ]);
    for (const wrong of [
      'dns.example',
      '9.9.9',
      '9.9.9.9:0',
      '9.9.9.9:65536',
      '9.9.9.9:x',
      '::1:5353x',
      '[9.9.9.9]:53',
      ':53',
      'https://9.9.9.9',
    ]) {
      expect(problemsOf({ POSTRIDER_DNS_SERVERS: wrong }), wrong).toEqual(['POSTRIDER_DNS_SERVERS']);
    }
  });

  it('set what the free tools query: blocklists with their kind, and SpamAssassin', () => {
    const { blocklists, spamd } = configOf();
    expect(blocklists).toContainEqual({ zone: 'zen.spamhaus.org', kind: 'ip' });
    expect(blocklists).toContainEqual({ zone: 'dbl.spamhaus.org', kind: 'domain' });
    expect(spamd).toBeNull();
    expect(configOf({ POSTRIDER_BLOCKLISTS: 'none' }).blocklists).toEqual([]);
    expect(configOf({ POSTRIDER_BLOCKLISTS: 'a.test=ip, b.test=domain' }).blocklists).toHaveLength(2);
    expect(configOf({ POSTRIDER_SPAMD: 'localhost:783' }).spamd).toEqual({ host: 'localhost', port: 783 });
    expect(problemsOf({ POSTRIDER_BLOCKLISTS: 'a.test' })).toEqual(['POSTRIDER_BLOCKLISTS']);
    expect(problemsOf({ POSTRIDER_SPAMD: 'localhost' })).toEqual(['POSTRIDER_SPAMD']);
  });

  it('set the mode, which otherwise follows NODE_ENV', { tags: ['contract-settings.mode'] }, () => {
    expect(configOf({ NODE_ENV: 'test' }).mode).toBe('development');
    expect(configOf({ ...PRODUCTION, POSTRIDER_MODE: '', NODE_ENV: 'production' }).mode).toBe('production');
    expect(configOf({ NODE_ENV: 'production', POSTRIDER_MODE: 'development' }).mode).toBe('development');
    expect(problemsOf({ POSTRIDER_MODE: 'staging' })).toEqual(['POSTRIDER_MODE']);
  });

  it('keep a development server on loopback', { tags: ['contract-development.loopback-only'] }, () => {
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
      expect(configOf({ POSTRIDER_HOST: host }).host).toBe(host);
    for (const host of ['0.0.0.0', '::', '192.168.1.1', 'mail.example', 'localhost.example', '127.0.0.1.example']) {
      expect(problemsOf({ POSTRIDER_HOST: host }), host).toEqual(['POSTRIDER_HOST']);
    }
    expect(configOf({ ...PRODUCTION, POSTRIDER_HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
  });

  it('set the transport: capture, or a relay with its TLS', { tags: ['contract-settings.transport'] }, () => {
    expect(configOf({ POSTRIDER_TRANSPORT: 'capture' }).transport).toEqual({ kind: 'capture' });
    for (const tls of ['none', 'starttls', 'implicit']) {
      const { transport } = configOf({ POSTRIDER_TRANSPORT: `smtp://user:pass@relay.example:2525?tls=${tls}` });
      expect(transport).toEqual({
        kind: 'relay',
        relay: { host: 'relay.example', port: 2525, tls, credentials: { user: 'user', pass: 'pass' } },
      });
    }
    for (const wrong of [
      'directly',
      'smpt://relay.example',
      'relay.example',
      'smtp://relay.example?tls=yes',
      'smtp://',
    ]) {
      expect(problemsOf({ POSTRIDER_TRANSPORT: wrong }), wrong).toEqual(['POSTRIDER_TRANSPORT']);
    }
  });

  it('set the direct transport, its port and its source addresses', {
    tags: ['contract-settings.transport-direct'],
  }, () => {
    expect(configOf()).toMatchObject({ mxPort: 25, sourceAddress: null });
    const direct = { POSTRIDER_TRANSPORT: 'direct' };
    expect(configOf(direct)).toMatchObject({ transport: { kind: 'direct' }, warnings: [] });
    expect(configOf({ ...direct, POSTRIDER_MX_PORT: '2526' })).toMatchObject({ mxPort: 2526, warnings: [] });
    for (const wrong of ['0', '65536', 'smtp', '-1']) {
      expect(problemsOf({ POSTRIDER_MX_PORT: wrong }), wrong).toEqual(['POSTRIDER_MX_PORT']);
    }
    for (const [given, sourceAddress] of [
      ['192.0.2.1', { ipv4: '192.0.2.1', ipv6: null }],
      ['2001:db8::1', { ipv4: null, ipv6: '2001:db8::1' }],
      ['2001:db8::1, 192.0.2.1', { ipv4: '192.0.2.1', ipv6: '2001:db8::1' }],
    ] as const) {
      expect(configOf({ ...direct, POSTRIDER_SOURCE_ADDRESS: given })).toMatchObject({ sourceAddress, warnings: [] });
    }
    for (const wrong of [
      'mail.example',
      '192.0.2',
      '192.0.2.1,192.0.2.2',
      '::1,::2',
      '192.0.2.1:25',
      '[::1]',
      '0.0.0.0/0',
    ]) {
      expect(problemsOf({ POSTRIDER_SOURCE_ADDRESS: wrong }), wrong).toEqual(['POSTRIDER_SOURCE_ADDRESS']);
    }
  });

  it('warn in production about direct delivery under a default name', {
    tags: ['contract-settings.transport-direct'],
  }, () => {
    const direct = { ...PRODUCTION, POSTRIDER_TRANSPORT: 'direct' };
    const warning = expect.stringMatching(/^POSTRIDER_HELO_NAME is not set/);
    expect(configOf(direct).warnings).toContainEqual(warning);
    expect(configOf({ ...direct, POSTRIDER_HELO_NAME: 'mail.example.com' }).warnings).not.toContainEqual(warning);
  });

  it('allow capture in production only when set explicitly, and warn about it', {
    tags: ['contract-running.capture-in-production'],
  }, () => {
    expect(problemsOf({ ...PRODUCTION, POSTRIDER_TRANSPORT: '' })).toEqual(['POSTRIDER_TRANSPORT']);
    const { transport, warnings } = configOf({ ...PRODUCTION, POSTRIDER_TRANSPORT: 'capture' });
    expect(transport).toEqual({ kind: 'capture' });
    const warning = expect.stringContaining('every message is stored here and none is sent');
    expect(warnings).toContainEqual(warning);
    expect(configOf(PRODUCTION).warnings).not.toContainEqual(warning);
    expect(configOf({ POSTRIDER_TRANSPORT: 'capture' }).warnings).toEqual([]);
  });

  it('set where SMTP submission listens', { tags: ['contract-settings.smtp-ports'] }, () => {
    const ports = { POSTRIDER_SMTP_PORT: '587', POSTRIDER_SMTPS_PORT: '465' };
    expect(configOf(ports)).toMatchObject({ smtpPort: 587, smtpsPort: 465 });
  });

  it('set the certificate of SMTP submission and its key together, and warn in production without them', {
    tags: ['contract-settings.tls'],
  }, () => {
    const files = { POSTRIDER_TLS_CERT: 'cert.pem', POSTRIDER_TLS_KEY: '/etc/key.pem' };
    expect(configOf(files).tlsFiles).toEqual({ certFile: resolve('cert.pem'), keyFile: '/etc/key.pem' });
    expect(problemsOf({ POSTRIDER_TLS_CERT: 'cert.pem' })).toEqual(['POSTRIDER_TLS_KEY']);
    expect(problemsOf({ POSTRIDER_TLS_KEY: 'key.pem' })).toEqual(['POSTRIDER_TLS_CERT']);
    const closed = [expect.stringContaining('SMTP submission is off')];
    expect(configOf(PRODUCTION).warnings).toEqual(closed);
    expect(configOf({ ...PRODUCTION, ...files }).warnings).toEqual([]);
    expect(configOf({ ...PRODUCTION, POSTRIDER_ROLES: 'api,worker' }).warnings).toEqual([]);
  });

  it('let a process run submission only, and reports at least without a certificate in production', {
    tags: ['contract-settings.roles-smtp'],
  }, () => {
    expect(configOf({}, { roles: 'smtp' }).roles).toEqual(new Set(['smtp']));
    expect(configOf(PRODUCTION, { roles: 'smtp' }).roles).toEqual(new Set(['smtp']));
  });

  it('set the port of inbound reports', { tags: ['contract-settings.inbound-port'] }, () => {
    expect(configOf()).toMatchObject({ inboundPort: 2525 });
    expect(configOf({ POSTRIDER_INBOUND_PORT: '25' })).toMatchObject({ inboundPort: 25, warnings: [] });
  });

  it('set where metrics are served: nowhere without a port, and on loopback without an address', () => {
    expect(configOf().metrics).toBeNull();
    expect(configOf({ POSTRIDER_METRICS_PORT: '9464' }).metrics).toEqual({ host: '127.0.0.1', port: 9464 });
    const open = { ...PRODUCTION, POSTRIDER_METRICS_PORT: '0', POSTRIDER_METRICS_HOST: '0.0.0.0' };
    expect(configOf(open).metrics).toEqual({ host: '0.0.0.0', port: 0 });
  });

  it('set the roles, which a flag can set too', { tags: ['contract-settings.roles'] }, () => {
    expect(configOf({ POSTRIDER_ROLES: 'worker' }).roles).toEqual(new Set(['worker']));
    expect(configOf({ POSTRIDER_ROLES: 'worker' }, { roles: 'api, worker' }).roles).toEqual(new Set(['api', 'worker']));
    for (const wrong of ['cook', 'api,cook', ',', 'API']) {
      expect(problemsOf({ POSTRIDER_ROLES: wrong }), wrong).toEqual(['POSTRIDER_ROLES']);
      expect(problemsOf({}, { roles: wrong }), wrong).toEqual(['POSTRIDER_ROLES']);
    }
  });

  it('create the secret key in development, once and readable by its owner only, and require it in production', {
    tags: ['contract-settings.secret-key'],
  }, () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postrider-config-'));
    cleanUp(() => rmSync(dataDir, { recursive: true }));
    const made = configOf({ POSTRIDER_DATA_DIR: dataDir }).secretKey();
    expect(made).toHaveLength(32);
    expect(configOf({ POSTRIDER_DATA_DIR: dataDir }).secretKey()).toEqual(made);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(configOf({ POSTRIDER_SECRET_KEY: SECRET }).secretKey()).toEqual(Buffer.from(SECRET, 'base64'));
    expect(problemsOf({ ...PRODUCTION, POSTRIDER_SECRET_KEY: '' })).toEqual(['POSTRIDER_SECRET_KEY']);
    expect(problemsOf({ POSTRIDER_SECRET_KEY: 'short' })).toEqual(['POSTRIDER_SECRET_KEY']);
  });

  it('accept former secret keys, one or several, which may contain commas', () => {
    const formerOf = (text: string) =>
      configOf({ POSTRIDER_SECRET_KEY: SECRET, POSTRIDER_SECRET_KEY_PREVIOUS: text }).formerSecretKeys();
    expect(configOf({ POSTRIDER_SECRET_KEY: SECRET }).formerSecretKeys()).toEqual([]);
    expect(formerOf(SECRET)).toEqual([Buffer.from(SECRET, 'base64')]);
    const other = Buffer.alloc(32, 3);
    expect(formerOf(`${SECRET}, ${other.toString('hex')}`)).toEqual(
      expect.arrayContaining([Buffer.from(SECRET, 'base64'), other]),
    );
    expect(formerOf('correct, horse, battery, staple, and more')).toHaveLength(1);
    const short = { POSTRIDER_SECRET_KEY: SECRET, POSTRIDER_SECRET_KEY_PREVIOUS: 'short' };
    expect(problemsOf(short)).toEqual(['POSTRIDER_SECRET_KEY_PREVIOUS']);
  });

  it('keep a key file readable by its owner only', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postrider-config-'));
    cleanUp(() => rmSync(dataDir, { recursive: true }));
    configOf({ POSTRIDER_DATA_DIR: dataDir }).secretKey();
    expect(configOf({ POSTRIDER_DATA_DIR: dataDir }).formerSecretKeys()).toEqual([]);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['POSTRIDER_PORT', ['x', '-1', '65536', '80.5', '1e3']],
    [
      'POSTRIDER_BASE_URL',
      [
        ...['mail.example', 'ftp://mail.example', 'http://a.b/?x=1', 'http://a.b/#x', 'http://a.b/?', 'http://a.b/#'],
        ...['https://ada@a.b', 'https://ada:secret@a.b'],
      ],
    ],
    ['DATABASE_URL', ['mysql://x', 'db.example', 'postgres']],
    ['POSTRIDER_SANDBOX_DOMAIN', ['localhost', 'a b.c', '1.2.3.4']],
    ['POSTRIDER_MONTHLY_QUOTA', ['many', '-5', '1.5', '99999999999']],
    ['POSTRIDER_LOG_LEVEL', ['loud', 'INFO', 'trace']],
    ['POSTRIDER_SMTP_PORT', ['x', '70000']],
    ['POSTRIDER_SMTPS_PORT', ['x', '-1']],
    ['POSTRIDER_INBOUND_PORT', ['x']],
    ['POSTRIDER_METRICS_PORT', ['x', '70000', '8025']],
    ['POSTRIDER_METRICS_HOST', ['0.0.0.0', '10.0.0.1']],
  ] as const)('name %s when it is wrong', { tags: ['contract-settings.wrong'] }, (name, values) => {
    for (const value of values) expect(problemsOf({ [name]: value }), value).toEqual([name]);
  });

  it('report all errors together, and repeat no password', { tags: ['contract-settings.wrong'] }, () => {
    const environment = {
      POSTRIDER_PORT: 'x',
      DATABASE_URL: 'mysql://u:hunter2@h/d',
      POSTRIDER_BASE_URL: 'https://u:hunter2@h',
      POSTRIDER_TRANSPORT: 'smtps://u:hunter2@h?tls=x',
    };
    const wrong = ['POSTRIDER_PORT', 'POSTRIDER_BASE_URL', 'DATABASE_URL', 'POSTRIDER_TRANSPORT'];
    expect(problemsOf(environment)).toEqual(wrong);
    expect(JSON.stringify(readConfig(environment))).not.toContain('hunter2');
  });

  it('set the name this machine uses with other mail servers, and choose one that resolves', () => {
    for (const name of ['mail.example.com', 'mx', '[192.0.2.1]', '[IPv6:2001:db8::1]']) {
      expect(configOf({ POSTRIDER_HELO_NAME: name }).heloName).toBe(name);
    }
    expect(configOf({ POSTRIDER_HELO_NAME: 'Bücher.example' }).heloName).toBe('xn--bcher-kva.example');
    for (const wrong of [
      '192.0.2.1',
      '[192.0.2]',
      'a b',
      'a_b.example',
      'mail..example',
      '[mail.example]',
      '-a.example',
    ]) {
      expect(problemsOf({ POSTRIDER_HELO_NAME: wrong }), wrong).toEqual(['POSTRIDER_HELO_NAME']);
    }
    expect(configOf().heloName).toBeNull();
    expect(chooseHeloName('mx1.example.net', 'https://mail.example', 's.test')).toBe('mx1.example.net');
    expect(chooseHeloName('laptop', 'https://mail.example:8443/x', 's.test')).toBe('mail.example');
    expect(chooseHeloName('laptop', 'http://127.0.0.1:8025', 's.test')).toBe('mail.s.test');
    expect(chooseHeloName('my_laptop', 'http://[::1]:8025', 's.test')).toBe('mail.s.test');
    expect(chooseHeloName('my_laptop', 'http://127.0.0.1:8025', 's.test')).toBe('mail.s.test');
  });

  it('use the machine’s name when a server listens on every address, never an address that cannot be reached', () => {
    for (const host of ['0.0.0.0', '::', '0:0:0:0:0:0:0:0']) {
      expect(isAnyAddress(host), host).toBe(true);
      expect(baseUrlOf(host, 8025, 'box.example')).toBe('http://box.example:8025');
    }
    for (const host of ['127.0.0.1', '10.0.0.1', '::1', 'localhost']) expect(isAnyAddress(host), host).toBe(false);
    expect(baseUrlOf('::1', 80, 'box')).toBe('http://[::1]:80');
    expect(baseUrlOf('127.0.0.1', 8025, 'box')).toBe('http://127.0.0.1:8025');
  });

  it('warn when a process accepts mail on the embedded database and no process can deliver it', () => {
    const warning = expect.stringContaining('nothing is delivered');
    expect(configOf({ POSTRIDER_ROLES: 'api' }).warnings).toContainEqual(warning);
    expect(configOf({}, { roles: 'api' }).warnings).toContainEqual(warning);
    expect(configOf({ POSTRIDER_ROLES: 'api,worker' }).warnings).not.toContainEqual(warning);
    expect(configOf({ POSTRIDER_ROLES: 'api', DATABASE_URL: 'postgres://h/d' }).warnings).not.toContainEqual(warning);
  });

  it('warn about unknown names', () => {
    const { warnings } = configOf({
      POSTRIDER_PROT: '1',
      POSTRIDER_SIGNUP: 'open',
      POSTRIDER_API_KEY: 'x',
      OTHER: 'y',
    });
    expect(warnings).toEqual(['POSTRIDER_PROT is not a setting of Postrider and does nothing.']);
  });

  it('do not warn about the variables of the clients', () => {
    const clients = ['API_KEY', 'BASE_URL', 'CONFIG_DIR', 'PROFILE', 'WEBHOOK_SECRET'];
    const environment = Object.fromEntries(clients.map((name) => [`POSTRIDER_${name}`, 'https://mail.example']));
    expect(configOf(environment).warnings).toEqual([]);
  });

  it('let programs sign in by published metadata, unless set', () => {
    expect(configOf().programs).toBe('published');
    expect(configOf({ POSTRIDER_PROGRAMS: 'registered' }).programs).toBe('registered');
    expect(configOf({ POSTRIDER_PROGRAMS: 'off' }).programs).toBe('off');
    expect(problemsOf({ POSTRIDER_PROGRAMS: 'yes' })).toEqual(['POSTRIDER_PROGRAMS']);
  });

  it('open sign-up in development only, unless set', { tags: ['contract-settings.signup'] }, () => {
    expect(configOf().isSignupOpen).toBe(true);
    expect(configOf({ POSTRIDER_SIGNUP: 'closed' }).isSignupOpen).toBe(false);
    expect(configOf({ ...PRODUCTION }).isSignupOpen).toBe(false);
    expect(configOf({ ...PRODUCTION, POSTRIDER_SIGNUP: 'open' }).isSignupOpen).toBe(true);
    expect(problemsOf({ POSTRIDER_SIGNUP: 'yes' })).toEqual(['POSTRIDER_SIGNUP']);
  });

  it('require providers to be configured fully or not at all', { tags: ['contract-settings.oauth'] }, () => {
    expect(configOf().oauth).toEqual([]);
    const client = { POSTRIDER_OIDC_CLIENT_ID: 'a', POSTRIDER_OIDC_CLIENT_SECRET: 'b' };
    const { oauth } = configOf({
      ...{ ...client, POSTRIDER_OIDC_ISSUER: 'https://id.example.com/', POSTRIDER_OIDC_NAME: 'work' },
      ...{ POSTRIDER_GITHUB_CLIENT_ID: 'a', POSTRIDER_GITHUB_CLIENT_SECRET: 'b' },
      ...{ POSTRIDER_GOOGLE_CLIENT_ID: 'a', POSTRIDER_GOOGLE_CLIENT_SECRET: 'b' },
    });
    expect(oauth.map(({ name, kind, issuer }) => [name, kind, issuer])).toEqual([
      ['github', 'github', 'https://github.com'],
      ['google', 'oidc', 'https://accounts.google.com'],
      ['work', 'oidc', 'https://id.example.com'],
    ]);
    expect(problemsOf({ POSTRIDER_GITHUB_CLIENT_ID: 'a' })).toEqual(['POSTRIDER_GITHUB_CLIENT_SECRET']);
    expect(problemsOf({ POSTRIDER_GOOGLE_CLIENT_SECRET: 'a' })).toEqual(['POSTRIDER_GOOGLE_CLIENT_ID']);
    expect(problemsOf(client)).toEqual(['POSTRIDER_OIDC_ISSUER']);
    expect(problemsOf({ POSTRIDER_OIDC_ISSUER: 'https://id.example.com' })).toEqual(['POSTRIDER_OIDC_CLIENT_ID']);
    expect(problemsOf({ ...client, POSTRIDER_OIDC_ISSUER: 'ftp://x' })).toEqual(['POSTRIDER_OIDC_ISSUER']);
    expect(problemsOf({ POSTRIDER_OIDC_NAME: 'github' })).toEqual(['POSTRIDER_OIDC_NAME']);
    expect(problemsOf({ POSTRIDER_MAIL_FROM: 'nobody' })).toEqual(['POSTRIDER_MAIL_FROM']);
  });
});
