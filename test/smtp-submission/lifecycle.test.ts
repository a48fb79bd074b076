import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  prepareDevelopmentCertificate,
  readCertificate,
} from '../../packages/server/src/smtp-submission/certificate.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startDatabaseProxy } from '../harness/database-proxy.ts';
import { makeCertificate } from '../harness/self-made-certificate.ts';
import { databaseEnvironment, runServer, startServerProcess } from '../harness/server-process.ts';
import { openLoggedIn, openSmtpSession, plainToken, type SmtpSession } from '../harness/smtp-session.ts';
import { startSubmissionApp, startSubmissionBeside } from '../harness/submission-client.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp } from '../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const cleanUp = useCleanUps();
const MESSAGE = 'From: ada@sandbox.test\r\nSubject: Hello\r\n\r\nHi\r\n.\r\n';

async function begin(session: SmtpSession): Promise<void> {
  await session.say('MAIL FROM:<ada@sandbox.test>');
  await session.say('RCPT TO:<delivered@sandbox.test>');
  await session.say('DATA');
}

describe('an unavailable database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('defers logins, recipients and messages, accepts none of them later, and recovers with the database', async () => {
    const proxy = await startDatabaseProxy(database);
    const server = await startSubmissionApp({ database: proxy.database });
    cleanUp(async () => {
      await server.close();
      await proxy.close();
    });
    const [ready, later] = [
      await openLoggedIn(server.smtp.tlsPort, server.key),
      await openLoggedIn(server.smtp.tlsPort, server.key),
    ];
    const newcomer = await openSmtpSession(server.smtp.tlsPort, 'tls');
    await newcomer.say('EHLO client.test');
    await begin(ready);
    await later.say('MAIL FROM:<ada@sandbox.test>');
    await proxy.down();
    server.clock.advance(1_000);
    ready.write(MESSAGE);
    expect(await ready.reply()).toMatch(/^451 4\.3\.0 unavailable: /);
    expect(await later.say('RCPT TO:<delivered@sandbox.test>')).toMatch(/^451 4\.3\.0 unavailable: /);
    expect(await newcomer.say(`AUTH PLAIN ${plainToken(server.key)}`)).toMatch(/^454 4\.7\.0 unavailable: /);
    await proxy.up();
    await expect
      .poll(async () => await newcomer.say(`AUTH PLAIN ${plainToken(server.key)}`), { timeout: 10_000 })
      .toMatch(/^235 /);
    expect((await server.call('GET', '/emails')).body.total).toBe(0);
    await begin(ready);
    ready.write(MESSAGE);
    expect(await ready.reply()).toMatch(/^250 2\.0\.0 queued as /);
    for (const session of [ready, later, newcomer]) session.close();
  });
});

describe('an acceptance that is too late', () => {
  it('is undone when the client has disconnected, and does not affect its neighbors', async () => {
    const server = await startSubmissionApp();
    cleanUp(() => server.close());
    const { sql } = server.database;
    const leaving = await openLoggedIn(server.smtp.tlsPort, server.key);
    const staying = await openLoggedIn(server.smtp.tlsPort, server.key);
    await Promise.all([begin(leaving), begin(staying)]);
    // Anyone who accepts waits behind this lock until the client is gone.
    await sql.begin(async (transaction) => {
      await transaction`LOCK TABLE messages IN ACCESS EXCLUSIVE MODE`;
      leaving.write(MESSAGE);
      staying.write(MESSAGE);
      await expect
        .poll(async () => (await transaction`SELECT 1 FROM pg_locks WHERE NOT granted`).length, {
          timeout: 1_200,
          interval: 20,
        })
        .toBeGreaterThan(0);
      leaving.close();
      await expect.poll(() => leaving.socket.closed).toBe(true);
    });
    const id = (await staying.reply())?.split(' ').at(-1);
    const { messages } = (await server.call('GET', '/emails')).body;
    expect(messages.map((message: { id: string }) => message.id)).toEqual([id]);
    staying.close();
  });
});

describe('shutting down', () => {
  it('completes the message in progress, accepts no other, and sends 421 to every client', async () => {
    const server = await startSubmissionApp();
    const [idle, busy] = [
      await openLoggedIn(server.smtp.tlsPort, server.key),
      await openLoggedIn(server.smtp.tlsPort, server.key),
    ];
    await begin(busy);
    busy.write(MESSAGE.slice(0, 30));
    const closed = server.close();
    expect(await idle.reply()).toMatch(/^421 4\.3\.2 /);
    expect(await idle.reply()).toBeNull();
    await expect(openSmtpSession(server.smtp.port)).rejects.toThrow();
    busy.write(MESSAGE.slice(30));
    expect(await busy.reply()).toMatch(/^250 2\.0\.0 queued as /);
    expect(await busy.reply()).toMatch(/^421 4\.3\.2 /);
    expect(await busy.reply()).toBeNull();
    await closed;
  });
});

describe('the certificate', () => {
  it('of a development server is created once, for its owner alone, and again before it expires', {
    tags: ['contract-settings.tls'],
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postrider-tls-'));
    cleanUp(() => rm(folder, { recursive: true }));
    const now = new Date();
    const first = prepareDevelopmentCertificate(join(folder, 'data'), now);
    const path = join(folder, 'data', 'smtp-tls.pem');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(prepareDevelopmentCertificate(join(folder, 'data'), now)).toEqual(first);
    const old = prepareDevelopmentCertificate(join(folder, 'data'), new Date(now.getTime() + 730 * 86_400_000));
    expect(old).not.toEqual(first);
    await writeFile(path, 'broken');
    expect(prepareDevelopmentCertificate(join(folder, 'data'), now).cert).toContain('BEGIN CERTIFICATE');
    expect(await readFile(path, 'utf8')).toContain('BEGIN PRIVATE KEY');
  });

  it('in files must be valid, with its own key', { tags: ['contract-settings.tls'] }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postrider-tls-'));
    cleanUp(() => rm(folder, { recursive: true }));
    const [one, other] = [makeCertificate(['mail.example']), makeCertificate(['mail.example'])];
    const write = async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const certFile = await write('cert.pem', one.cert);
    const keyFile = await write('key.pem', one.key);
    expect(readCertificate({ certFile, keyFile })).toEqual(one);
    const wrong = [await write('other.pem', other.key), await write('none.pem', 'none'), join(folder, 'missing.pem')];
    for (const file of wrong) {
      expect(() => readCertificate({ certFile, keyFile: file })).toThrow(
        /POSTRIDER_TLS_KEY|certificate and its private key/,
      );
      expect(() => readCertificate({ certFile: file, keyFile })).toThrow();
    }
  });
});

describe('a server process', () => {
  let database: TestDatabase;
  let folder: string;
  let environment: Readonly<Record<string, string>>;
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'postrider-smtp-'));
    environment = {
      ...databaseEnvironment(database),
      POSTRIDER_DATA_DIR: folder,
      POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
      POSTRIDER_PORT: '0',
      POSTRIDER_TRANSPORT: 'capture',
    };
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('names the SMTP submission port in use, and the setting', {
    tags: ['contract-settings.smtp-ports'],
  }, async () => {
    const port = await takePort();
    const { code, stderr } = await runServer(['start'], { ...environment, POSTRIDER_SMTPS_PORT: String(port) });
    expect(code).toBe(1);
    expect(stderr).toContain(`error: Port ${port} for SMTP submission on 127.0.0.1 is in use by another program.`);
    expect(stderr).toContain(`choose another port: POSTRIDER_SMTPS_PORT=${port + 1}.`);
  });

  it('names every port in use at once, with one fix', { tags: ['contract-settings.smtp-ports'] }, async () => {
    const [smtp, inbound] = [await takePort(), await takePort()];
    const taken = { POSTRIDER_SMTP_PORT: String(smtp), POSTRIDER_INBOUND_PORT: String(inbound) };
    const { code, stderr } = await runServer(['start'], { ...environment, POSTRIDER_SMTPS_PORT: '0', ...taken });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `error: Port ${smtp} for SMTP submission on 127.0.0.1 is in use by another program. Port ${inbound} for inbound reports on 127.0.0.1 is in use too.`,
    );
    const proposed = /choose other ports: POSTRIDER_SMTP_PORT=(\d+) POSTRIDER_INBOUND_PORT=(\d+)\./.exec(stderr) ?? [];
    const [forSmtp, forInbound] = proposed.slice(1).map(Number);
    expect(new Set([smtp, inbound, forSmtp, forInbound]).size).toBe(4);
    for (const port of [forSmtp, forInbound]) await listenBriefly(port);
  });

  it('in production keeps SMTP submission closed without a certificate, with a warning', {
    tags: ['contract-settings.tls', 'contract-settings.roles-smtp'],
  }, async () => {
    const port = await freePort();
    const closed = startServerProcess(['start'], { ...environment, ...PRODUCTION, POSTRIDER_SMTP_PORT: String(port) });
    await closed.ready;
    expect(closed.stderr).toContain('SMTP submission is off');
    await expect(openSmtpSession(port)).rejects.toThrow('ECONNREFUSED');
    closed.child.kill('SIGKILL');
    await closed.finished;
  });

  it('in production opens it with the configured certificate', {
    tags: ['contract-settings.tls', 'contract-settings.roles-smtp'],
  }, async () => {
    const port = await freePort();
    const made = makeCertificate(['mail.example']);
    await writeFile(join(folder, 'cert.pem'), made.cert);
    await writeFile(join(folder, 'key.pem'), made.key);
    const files = { POSTRIDER_TLS_CERT: join(folder, 'cert.pem'), POSTRIDER_TLS_KEY: join(folder, 'key.pem') };
    const open = startServerProcess(['start', '--roles', 'smtp'], {
      ...environment,
      ...PRODUCTION,
      ...files,
      POSTRIDER_SMTP_PORT: String(port),
    });
    await expect.poll(() => open.stdout, { timeout: 15_000 }).toMatch(/^ready .*roles: smtp/m);
    expect(open.stderr).not.toContain('SMTP submission');
    const session = await openSmtpSession(port);
    expect(await session.say('EHLO client.test')).toContain('STARTTLS');
    const secured = await startTls(session);
    expect(secured.socket).toMatchObject({ authorized: false });
    secured.close();
    open.child.kill('SIGTERM');
    expect((await open.finished).code).toBe(0);
  });
});

describe('an SMTP submission port in use', () => {
  it('is reported with its setting', { tags: ['contract-settings.smtp-ports'] }, async () => {
    const server = await startTestApp({ settings: { POSTRIDER_SMTP_PORT: String(await takePort()) } });
    cleanUp(() => server.close());
    const fix = expect.stringContaining('POSTRIDER_SMTP_PORT=');
    await expect(startSubmissionBeside(server, {})).rejects.toMatchObject({ name: 'PortError', fix });
  });
});

const PRODUCTION = { POSTRIDER_MODE: 'production', POSTRIDER_BASE_URL: 'https://mail.example' };

async function startTls(session: SmtpSession): Promise<SmtpSession> {
  await session.say('STARTTLS');
  return await session.secure();
}

/** A port that someone else listens on until the test is over. */
async function takePort(): Promise<number> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  cleanUp(() => other.close());
  const address = other.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Fails if the port is in use. */
async function listenBriefly(port: number | undefined): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, '127.0.0.1', resolve));
  await new Promise((resolve) => probe.close(resolve));
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
