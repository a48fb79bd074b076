import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runServer as runCommandLine } from '../../packages/server/src/commands/run-server.ts';
import { openBody } from '../../packages/server/src/keys/sealed-body.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { readCaptured } from '../harness/captured-mail.ts';
import { dumpDatabase } from '../harness/database-dump.ts';
import { returnPathOf, startReportApp } from '../harness/report-client.ts';
import { databaseEnvironment } from '../harness/server-process.ts';
import { openSmtpSession } from '../harness/smtp-session.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import type { TestDatabase } from '../harness/test-database.ts';
import { parsedLinks } from '../links/parsed-links.ts';

const NEW_KEY = randomBytes(32);
const FORMER = { POSTRIDER_SECRET_KEY_PREVIOUS: TEST_SECRET_KEY.toString('base64') };
const BOTH = { POSTRIDER_SECRET_KEY: NEW_KEY.toString('base64'), ...FORMER };
const NOTHING = { dkimKeys: 0, webhookSecrets: 0, installationMail: 0, receiptKeys: 0 };

async function rotate(database: TestDatabase, settings: Record<string, string>, ...flags: string[]) {
  const { PGHOST, PGUSER } = databaseEnvironment(database);
  Object.assign(process.env, { PGHOST, PGUSER });
  let [stdout, stderr] = ['', ''];
  const code = await runCommandLine(['secrets', 'rotate', ...flags], {
    environment: { ...databaseEnvironment(database), ...settings },
    write: (text) => {
      stdout += text;
    },
    writeError: (text) => {
      stderr += text;
    },
    progress: () => undefined,
  });
  return { code, stdout, stderr, report: code === 0 && flags.includes('--json') ? JSON.parse(stdout) : null };
}

/** Every value of the database that is bytes, and how many of them a key opens. */
async function countOpened(database: TestDatabase, key: Buffer): Promise<number> {
  const { sql } = database;
  const columns = await sql<{ table: string; column: string }[]>`
    SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND c.data_type = 'bytea' AND t.table_type = 'BASE TABLE'`;
  const box = createSecretBox(key);
  let opened = 0;
  for (const { table, column } of columns) {
    for (const { value } of await sql`SELECT ${sql(column)} AS value FROM ${sql(table)}`) {
      try {
        box.open(value);
        opened += 1;
      } catch {
        // Sealed with another key, or no envelope.
      }
    }
  }
  return opened;
}

async function addEndpoint(server: TestApp): Promise<{ readonly id: string; readonly secret: string }> {
  const { status, body } = await server.call('POST', '/webhooks', { body: { url: 'https://hooks.example.com/in' } });
  expect([status, body.secret]).toEqual([201, expect.stringMatching(/^whsec_/)]);
  return body;
}

async function askForLink(server: TestApp): Promise<void> {
  const body = { email: 'owner@sandbox.test' };
  expect((await server.call('POST', '/auth/magic-link', { key: null, body })).status).toBe(202);
  await server.app.services.auth.links.idle();
}

/** The sign-in links that the development mailbox shows. */
async function linksIn(server: TestApp): Promise<readonly string[]> {
  const mails = await readCaptured(server, 'Your sign-in link');
  return mails.flatMap(({ parsed }) => /\/auth\/magic-link\/[\w-]{43}/.exec(parsed.text ?? '') ?? []);
}

/** A message with everything in it that the secret key has signed, at the server that sent it. */
async function sendSigned(server: TestApp, from: string) {
  await server.call('PATCH', '/account', { body: { trackOpens: true, trackClicks: true } });
  const html = '<body><p><a href="https://shop.test/">shop</a></p></body>';
  const subject = `Signed ${randomBytes(4).toString('hex')}`;
  const sent = await server.send({ from, to: 'ann@sandbox.test', subject, html, unsubscribe: true });
  expect(sent.status).toBe(202);
  expect((await server.settled(sent.body.id)).body.status).toBe('delivered');
  const [mail] = await readCaptured(server, subject);
  const [, unsubscribe = ''] = /list-unsubscribe: <([^>]+)>/i.exec(mail?.raw.replace(/\r\n\s+/g, ' ') ?? '') ?? [];
  const links = parsedLinks(mail?.parsed.html ?? '').map(({ value }) => value);
  return { raw: mail?.raw ?? '', returnPath: returnPathOf(server, sent.body.id), unsubscribe, link: links[0] ?? '' };
}

describe('postrider-server secrets rotate', () => {
  /** Knows the former key alone. */
  let before: TestApp;
  /** The same installation, started again with both keys. */
  let after: TestApp & { readonly inboundPort: number };
  let webhookSecrets: string[];
  let signed: Awaited<ReturnType<typeof sendSigned>>;
  beforeAll(async () => {
    before = await startTestApp();
    await before.addDomain('example.com');
    const { id, secret } = await addEndpoint(before);
    const rotated = await before.call('POST', `/webhooks/${id}/rotate`);
    webhookSecrets = [secret, rotated.body.secret];
    signed = await sendSigned(before, 'ada@example.com');
    await askForLink(before);
    await vi.waitUntil(async () => (await linksIn(before)).length === 1, { timeout: 10_000 });
    after = await startReportApp({ database: before.database, settings: BOTH });
  });
  afterAll(async () => {
    await after.close();
    await before.close();
  });

  const at = (url: string) => url.replace(before.baseUrl, after.baseUrl);

  it('fails without a former key, and says how to rotate', async () => {
    const { code, stderr } = await rotate(before.database, { POSTRIDER_SECRET_KEY: NEW_KEY.toString('base64') });
    expect(code).toBe(1);
    expect(stderr).toContain('there is no former key');
    expect(stderr).toContain('POSTRIDER_SECRET_KEY_PREVIOUS');
    expect(await countOpened(before.database, TEST_SECRET_KEY)).toBe(5);
  });

  it('encrypts everything at rest with the new key while a server runs and keeps signing', {
    tags: ['contract-operator.secrets', 'contract-operator.anywhere'],
  }, async () => {
    const { report } = await rotate(before.database, BOTH, '--json');
    expect(report).toEqual({
      rotated: true,
      newKey: false,
      resealed: { dkimKeys: 2, webhookSecrets: 2, installationMail: 2, receiptKeys: 0 },
      unreadable: [],
    });
    expect(await countOpened(before.database, TEST_SECRET_KEY)).toBe(0);
    expect(await countOpened(before.database, NEW_KEY)).toBe(5);
    const { key } = before;
    const call = async (path: string) => (await after.call('GET', path, { key })).body;
    expect((await call('/webhooks')).webhooks).toHaveLength(1);
    const asBefore: TestApp = { ...after, send: (body, given) => after.send(body, { ...given, key }) };
    asBefore.settled = async (id) => await after.call('GET', `/emails/${id}?wait=10`, { key });
    expect((await sendSigned(asBefore, 'ada@example.com')).raw).toMatch(/^DKIM-Signature:.*\bd=example\.com;/ims);
  });

  it('encrypts the installation’s own mail with the new key too, and it still opens', async () => {
    expect(await linksIn(after)).toHaveLength(1);
    const { sql } = before.database;
    const [sent] = await sql<{ text: string }[]>`SELECT text FROM message_bodies WHERE text LIKE 'postrider-sealed:%'`;
    const body = { text: sent?.text ?? '', html: null };
    expect(openBody(createSecretBox(NEW_KEY), body).text).toContain('/auth/magic-link/');
  });

  it('has nothing to do the second time, and continues after an interruption', async () => {
    const again = await rotate(before.database, BOTH, '--json');
    expect(again.report).toMatchObject({ rotated: true, resealed: NOTHING });
    const [secret] = webhookSecrets;
    await before.database.sql`
      UPDATE webhook_endpoints SET previous_secret = ${createSecretBox(TEST_SECRET_KEY).seal(secret ?? '')}`;
    expect((await rotate(before.database, BOTH, '--json')).report.resealed).toEqual({ ...NOTHING, webhookSecrets: 1 });
    expect((await rotate(before.database, BOTH)).stdout).toBe(
      'All secrets are already encrypted with the current key.\n',
    );
  });

  it('names what no key can open, and encrypts the rest', async () => {
    const { sql } = before.database;
    const [kept] = await sql`SELECT secret FROM webhook_endpoints`;
    const lost = createSecretBox(randomBytes(32)).seal('whsec_lost');
    const [row] = await sql`UPDATE webhook_endpoints SET secret = ${lost} RETURNING id, account_id`;
    const { code, stdout } = await rotate(before.database, BOTH, '--json');
    await sql`UPDATE webhook_endpoints SET secret = ${kept?.['secret']}`;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      rotated: false,
      unreadable: [{ kind: 'webhookSecrets', id: row?.['id'], accountId: row?.['account_id'] }],
    });
  });

  it('keeps what the former key signed valid: unsubscribe and tracking links, and return paths', {
    tags: ['contract-operator.secrets'],
  }, async () => {
    const page = await fetch(at(signed.unsubscribe));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('ann@sandbox.test')]);
    const click = await fetch(at(signed.link), { redirect: 'manual' });
    expect([click.status, click.headers.get('location')]).toEqual([302, 'https://shop.test/']);
    const session = await openSmtpSession(after.inboundPort);
    await session.say('EHLO mx.example.net');
    await session.say('MAIL FROM:<>');
    expect(await session.say(`RCPT TO:<${signed.returnPath}>`)).toMatch(/^250/);
    session.close();
  });

  it('40 secrets encrypted at rest: a database dump contains none', async () => {
    const login = await after.call('POST', '/dev/session', { key: null, body: { email: 'owner@sandbox.test' } });
    const [, session = ''] = /=([^;]+);/.exec(login.headers.get('set-cookie') ?? '') ?? [];
    expect(session.length).toBeGreaterThan(30);
    const dumped = await dumpDatabase(before.database);
    expect(dumped).toContain('hooks.example.com');
    const plain = [...webhookSecrets, before.key, after.key, session, 'PRIVATE KEY'];
    for (const secret of plain) {
      expect(dumped.includes(secret), secret).toBe(false);
      // Nor as bytes, in either spelling.
      expect(dumped.includes(Buffer.from(secret).toString('hex')), secret).toBe(false);
      const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64').toString('hex');
      expect(bytes.length > 16 && dumped.includes(bytes), secret).toBe(false);
    }
    // RSA keys as bare bytes begin with their version and the algorithm (RFC 5208).
    expect(dumped).not.toContain('020100300d06092a864886f70d010101');
  });
});

describe('secrets rotate in development', () => {
  let dataDir: string;
  let server: TestApp;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'postrider-secrets-'));
    await writeFile(join(dataDir, 'secret.key'), TEST_SECRET_KEY.toString('base64'));
    server = await startTestApp({ settings: { POSTRIDER_SECRET_KEY: '', POSTRIDER_DATA_DIR: dataDir } });
  });
  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const keysInFile = async () =>
    (await readFile(join(dataDir, 'secret.key'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => Buffer.from(line, 'base64'));

  it('creates a new key in the data directory, which the running server uses from then on', {
    tags: ['contract-operator.secrets', 'contract-operator.anywhere'],
  }, async () => {
    await addEndpoint(server);
    const { report } = await rotate(server.database, { POSTRIDER_DATA_DIR: dataDir }, '--json');
    expect(report).toMatchObject({ rotated: true, newKey: true, resealed: { dkimKeys: 1, webhookSecrets: 1 } });
    const [present, ...former] = await keysInFile();
    expect(former).toEqual([TEST_SECRET_KEY]);
    await addEndpoint(server);
    expect(await countOpened(server.database, TEST_SECRET_KEY)).toBe(0);
    expect(await countOpened(server.database, present ?? Buffer.alloc(32))).toBe(3);
    const sent = await server.send();
    expect((await server.settled(sent.body.id)).body.status).toBe('delivered');
  });

  it('finishes an interrupted rotation before it creates another key', async () => {
    const fresh = randomBytes(32);
    const lines = [fresh, ...(await keysInFile())].map((key) => key.toString('base64'));
    await writeFile(join(dataDir, 'secret.key'), lines.join('\n'));
    const finished = await rotate(server.database, { POSTRIDER_DATA_DIR: dataDir }, '--json');
    expect(finished.report).toMatchObject({ newKey: false, resealed: { dkimKeys: 1, webhookSecrets: 2 } });
    expect(await countOpened(server.database, fresh)).toBe(3);
    expect(await keysInFile()).toHaveLength(3);
    expect((await rotate(server.database, { POSTRIDER_DATA_DIR: dataDir }, '--json')).report.newKey).toBe(true);
  });
});
