import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { type App, createApp } from '../../packages/server/src/app.ts';
import { type Config, readConfig } from '../../packages/server/src/config.ts';
import { insertVerifiedDomain } from '../../packages/server/src/db/queries/sending-domains.ts';
import { createKey, type NewKey } from '../../packages/server/src/keys/create-key.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { reuseDkimKeys } from './dkim-keys.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { TEST_SECRET_KEY } from './template-database.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export interface TestAppOptions {
  /** Settings as in the environment. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Makes this another process of the same fleet: it shares the database of that app. */
  readonly database?: TestDatabase;
  /** Addresses of the DNS servers to query. */
  readonly dnsServers?: readonly string[];
  /** Receives the lines of the server's log, at level `debug`. */
  readonly log?: { write(line: string): void };
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // Tests read responses of any shape; their assertions check it.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

export interface CallOptions {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly rawBody?: string | Uint8Array;
}

export interface TestApp {
  readonly app: App;
  readonly baseUrl: string;
  readonly database: TestDatabase;
  readonly clock: FakeClock;
  readonly accountId: string;
  /** A key with scope `full`. */
  readonly key: string;
  readonly config: Config;
  call(method: string, path: string, options?: CallOptions): Promise<TestResponse>;
  /** Sends a message, with defaults for omitted fields. */
  send(body?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<TestResponse>;
  /** Reads a message once it has its outcome. */
  settled(id: string): Promise<TestResponse>;
  newAccount(name?: string): Promise<{ readonly accountId: string; readonly key: string }>;
  newKey(options?: Partial<NewKey>): Promise<string>;
  /** Adds a verified domain to the account. Returns its DKIM public key. */
  addDomain(name: string, accountId?: string): Promise<{ readonly selector: string; readonly publicKey: string }>;
  /** Runs due deliveries now, as the timers would. */
  pump(): Promise<void>;
  close(): Promise<void>;
}

/** A whole server in this process, with its own database, on a free loopback port. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-app-'));
  const config = testConfig(dataDir, { ...dnsSetting(options.dnsServers), ...options.settings });
  const clock = createFakeClock();
  const ids = createIdGenerator();
  const generateDkimKey = reuseDkimKeys();
  const tools = { sql: database.sql, clock, ids, generateDkimKey };
  const { accountId, key } = await createAccount(tools, { name: 'Acme', ownerEmail: 'owner@sandbox.test' });
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const logger =
    options.log === undefined
      ? pino({ level: process.env['TEST_LOG'] ?? 'silent' })
      : pino({ level: 'debug' }, options.log);
  const random = () => 0.5;
  const app = createApp({ config, baseUrl, target: database.target, logger, clock, random, generateDkimKey });
  await app.start({ host: '127.0.0.1', port });

  const call = (method: string, path: string, given: CallOptions = {}) => callApi(baseUrl, key, method, path, given);
  return {
    app,
    baseUrl,
    database,
    clock,
    accountId,
    key,
    config,
    call,
    send: (body = {}, given = {}) => call('POST', '/emails', { ...given, body: { ...DEFAULT_SEND, ...body } }),
    settled: (id) => call('GET', `/emails/${id}?wait=10`),
    newAccount: (name = 'Other') => createAccount(tools, { name, ownerEmail: 'other@sandbox.test' }),
    newKey: async (given = {}) =>
      (await createKey(database.sql, ids, { ...defaultKey(accountId, clock), ...given })).secret,
    addDomain: (name, owner = accountId) => addDomain(tools, owner, name),
    pump: async () => await app.engine?.pump(),
    async close() {
      await app.close();
      if (options.database === undefined) await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export const DEFAULT_SEND = {
  from: 'Ada <ada@sandbox.test>',
  to: 'delivered@sandbox.test',
  subject: 'Hello',
  text: 'Hi there',
};

function testConfig(dataDir: string, settings: Readonly<Record<string, string>>): Config {
  const verdict = readConfig({
    POSTRIDER_DATA_DIR: dataDir,
    POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
    POSTRIDER_TRANSPORT: 'capture',
    // SMTP submission only if a test requests the role, and then on free ports.
    POSTRIDER_ROLES: 'api,worker',
    POSTRIDER_SMTP_PORT: '0',
    POSTRIDER_SMTPS_PORT: '0',
    POSTRIDER_INBOUND_PORT: '0',
    ...settings,
  });
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems));
  return verdict.config;
}

function dnsSetting(servers: readonly string[] | undefined): Readonly<Record<string, string>> {
  return servers === undefined ? {} : { POSTRIDER_DNS_SERVERS: servers.join(',') };
}

function defaultKey(accountId: string, clock: FakeClock): NewKey {
  return { accountId, name: 'Test key', mode: 'live', scopes: ['full'], recipientAllowlist: null, now: clock.now() };
}

export async function callApi(
  baseUrl: string,
  ownKey: string,
  method: string,
  path: string,
  options: CallOptions,
): Promise<TestResponse> {
  const key = options.key === undefined ? ownKey : options.key;
  const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: body as BodyInit }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text };
}

async function addDomain(
  {
    sql,
    clock,
    ids,
    generateDkimKey,
  }: {
    readonly sql: TestDatabase['sql'];
    readonly clock: FakeClock;
    readonly ids: ReturnType<typeof createIdGenerator>;
    readonly generateDkimKey: ReturnType<typeof reuseDkimKeys>;
  },
  accountId: string,
  name: string,
): Promise<{ readonly selector: string; readonly publicKey: string }> {
  const key = await generateDkimKey();
  const selector = 'test';
  await insertVerifiedDomain(sql, {
    accountId,
    id: ids.next(clock.now()),
    name,
    dkimSelector: selector,
    dkimPrivateKey: createSecretBox(TEST_SECRET_KEY).seal(key.privateKeyPem),
    dkimPublicKey: key.publicKeyBase64,
    now: clock.now(),
  });
  return { selector, publicKey: key.publicKeyBase64 };
}

export async function findFreePort(): Promise<number> {
  const { createServer } = await import('node:net');
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
