import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { converse, openLoggedIn, openSmtpSession, type SmtpSession } from '../harness/smtp-session.ts';
import { type SubmissionApp, startSubmissionApp, startSubmissionBeside } from '../harness/submission-client.ts';

const cleanUp = useCleanUps();
const OF_ADDRESS = '421 4.7.0 Too many open connections from your address, close some or try again in a moment';
const IN_ALL = '421 4.3.2 Too many open connections, try again in a moment';

/** Connects, and resolves with the greeting and the connection; with null where the server closes it without a word. */
async function greet(port: number): Promise<{ readonly greeting: string | null; readonly session: SmtpSession }> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  cleanUp(() => socket.destroy());
  await once(socket, 'connect');
  const session = converse(socket);
  return { greeting: await session.reply(), session };
}

async function greetOverTls(port: number): Promise<string | null> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => undefined);
  cleanUp(() => socket.destroy());
  return await converse(socket).reply();
}

/** Also where it is reset. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.resume().once('close', () => resolve()));
}

/** The code of the greeting of a connection that is closed again. */
async function greetingOf(port: number): Promise<string | undefined> {
  const { greeting, session } = await greet(port);
  session.close();
  return greeting?.slice(0, 3);
}

function useServer(settings: Readonly<Record<string, string>>): () => SubmissionApp {
  let server: SubmissionApp;
  beforeAll(async () => {
    server = await startSubmissionApp({ settings });
  });
  afterAll(() => server.close());
  return () => server;
}

describe('connections of one address that have not logged in', () => {
  const server = useServer({ POSTRIDER_SMTP_CONNECTIONS_PER_ADDRESS: '30' });

  it('are a tenth of its connections, and further ones get the reason for their rejection', {
    tags: ['holes.smtp-connections'],
  }, async () => {
    const { port, tlsPort } = server().smtp;
    const held = [await greet(port), await greet(port), await greet(port)];
    expect(held.map(({ greeting }) => greeting?.slice(0, 3))).toEqual(['220', '220', '220']);
    const refused = await greet(port);
    expect(refused.greeting).toBe(OF_ADDRESS);
    expect(await refused.session.reply()).toBeNull();
    // Both ports count together, and over TLS the text is readable as well.
    expect(await greetOverTls(tlsPort)).toBe(OF_ADDRESS);
    held[0]?.session.close();
    await expect.poll(() => greetingOf(port)).toBe('220');
  });

  it('do not include those that have logged in', { tags: ['holes.smtp-connections'] }, async () => {
    const { tlsPort, port } = server().smtp;
    await expect.poll(() => greetingOf(port)).toBe('220');
    for (let index = 0; index < 6; index += 1) {
      const session = await openLoggedIn(tlsPort, server().key);
      cleanUp(() => session.close());
    }
    await expect.poll(() => greetingOf(port)).toBe('220');
  });

  it('are released after STARTTLS as well', async () => {
    const { port } = server().smtp;
    for (let index = 0; index < 6; index += 1) {
      await expect.poll(() => greetingOf(port)).toBe('220');
      const session = await openSmtpSession(port);
      await session.say('EHLO client.test');
      await session.say('STARTTLS');
      const secured = await session.secure();
      expect(await secured.say('EHLO client.test')).toMatch(/^250/);
      secured.close();
    }
    await expect.poll(() => greetingOf(port)).toBe('220');
  });

  it('count until they start their TLS handshake, and are closed immediately after many rejections', async () => {
    const { tlsPort, port } = server().smtp;
    await expect.poll(() => greetingOf(port)).toBe('220');
    const silent = Array.from({ length: 12 }, () => connect(tlsPort, '127.0.0.1').on('error', () => undefined));
    cleanUp(() => {
      for (const socket of silent) socket.destroy();
    });
    await Promise.all(silent.slice(7).map(closed));
    expect(silent.slice(0, 7).some(({ destroyed }) => destroyed)).toBe(false);
    expect((await greet(port)).greeting).toBeNull();
  });
});

describe('all connections of one address', () => {
  const server = useServer({ POSTRIDER_SMTP_CONNECTIONS_PER_ADDRESS: '3' });

  it('are limited, those that have logged in among them', { tags: ['holes.smtp-connections'] }, async () => {
    for (let index = 0; index < 3; index += 1) {
      const session = await openLoggedIn(server().smtp.tlsPort, server().key);
      cleanUp(() => session.close());
    }
    expect((await greet(server().smtp.port)).greeting).toBe(OF_ADDRESS);
  });
});

describe('connections in total', () => {
  const server = useServer({ POSTRIDER_SMTP_CONNECTIONS: '4', POSTRIDER_TRUSTED_PROXIES: '127.0.0.1' });

  it('are limited, half of them before login, also behind a trusted proxy', {
    tags: ['holes.smtp-connections'],
  }, async () => {
    const { port } = server().smtp;
    await greet(port);
    await greet(port);
    expect((await greet(port)).greeting).toBe(IN_ALL);
  });

  it('leave room for those that log in', { tags: ['holes.smtp-connections'] }, async () => {
    const { port, tlsPort } = server().smtp;
    await expect.poll(() => greetingOf(port)).toBe('220');
    for (let index = 0; index < 2; index += 1) {
      const session = await openLoggedIn(tlsPort, server().key);
      cleanUp(() => session.close());
    }
    await greet(port);
    await greet(port);
    expect((await greet(port)).greeting).toBe(IN_ALL);
  });
});

describe('a connection that never logs in', () => {
  const server = useServer({});

  it('is closed though its TLS handshake arrives byte by byte', {
    tags: ['holes.smtp-connections'],
    timeout: 20_000,
  }, async () => {
    const beside = await startSubmissionBeside(server(), { logInMs: 500 });
    cleanUp(() => beside.drain());
    const socket = connect(beside.ports.tlsPort, '127.0.0.1').on('error', () => undefined);
    // The head of a record that announces 16 KB of handshake.
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x40, 0x00, 0x01]));
    const drip = setInterval(() => socket.write(Buffer.from([0])), 50);
    cleanUp(() => clearInterval(drip));
    await closed(socket);
    const session = await openSmtpSession(beside.ports.port);
    expect(await session.reply()).toMatch(/^421 4\.4\.2 No login in time/);
  });
});
